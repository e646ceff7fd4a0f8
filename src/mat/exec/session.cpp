#include "mat/exec/session.hpp"

namespace petscspmv {

namespace {

struct Parts {
  SessionPart *newest = nullptr;
};

} // namespace

SessionPart::SessionPart()
{
  const Locked now(Lock());
  made_before_ = std::exchange(OfProcess<Parts>().newest, this);
}

void EndSession()
{
  const Locked now(Lock());
  for (SessionPart *part = OfProcess<Parts>().newest; part; part = part->made_before_) part->Renew();
}

} // namespace petscspmv
