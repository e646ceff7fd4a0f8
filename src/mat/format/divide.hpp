// Dividing a matrix's rows among parts of about equal work.
#pragma once

#include "mat/format/csr.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace petscspmv {

/// The first row of each part, then the number of rows. The work of a row is its entries and, for its start, kRow more. Parts begin
/// where formats that hold several rows together do in the whole matrix: at multiples of kTogether or, where that might move their
/// beginnings by more than a sixteenth of their rows, of its half, quarter and so on.
template <class Scalar, class Index>
std::vector<Index> DivideRows(const Csr<Scalar, Index> &csr, int parts)
{
  constexpr double   kRow      = 4;
  constexpr Index    kTogether = 96; // eight blocks of two, three or four rows
  std::vector<Index> first{0};
  const auto         work = [&](Index row) { return static_cast<double>(csr.row_ptr[row]) + kRow * static_cast<double>(row); };
  for (int part = 1; part < parts; ++part) {
    const double before = work(csr.rows) / parts * part;
    Index        row = first.back(), end = csr.rows;
    while (row < end) { // the first row with at least that work before it
      const Index middle                  = row + (end - row) / 2;
      (work(middle) < before ? row : end) = work(middle) < before ? middle + 1 : middle;
    }
    Index together = kTogether;
    while (together > 1 && 8 * together > row - first.back()) together /= 2;
    first.push_back(std::min(csr.rows, (row + together / 2) / together * together));
  }
  first.push_back(csr.rows);
  return first;
}

/// `parts` if all would have about the same number of entries, otherwise 1. The time of the first parts must predict that of the
/// whole, and an entry costs more in short rows.
template <class Scalar, class Index>
int EvenParts(const Csr<Scalar, Index> &csr, int parts)
{
  constexpr double         kEven = 0.75;
  const std::vector<Index> first = DivideRows(csr, parts);
  const double             share = static_cast<double>(csr.nnz()) / parts;
  for (std::size_t part = 0; part + 1 < first.size(); ++part) {
    const auto entries = static_cast<double>(csr.row_ptr[first[part + 1]] - csr.row_ptr[first[part]]);
    if (entries < kEven * share || kEven * entries > share) return 1;
  }
  return parts;
}

/// The matrix of rows first .. last - 1, whose row pointers are written to `row_ptr`.
template <class Scalar, class Index>
Csr<Scalar, Index> RowsOf(const Csr<Scalar, Index> &csr, Index first, Index last, std::vector<Index> &row_ptr)
{
  const Index begin = csr.row_ptr[first];
  row_ptr.assign(csr.row_ptr + first, csr.row_ptr + last + 1);
  for (Index &at : row_ptr) at -= begin;
  return {last - first, csr.cols, row_ptr.data(), csr.col_idx + begin, csr.val + begin};
}

} // namespace petscspmv
