// Package resource is the only arithmetic on amounts of cluster resources.
//
// A Vec is a dense vector of int64 over interned dimensions (Dims): cpu in
// milli, memory and storage in bytes, every other resource in milli, pods in
// pods. A dimension that is missing from a vector is zero; a dimension that is
// zero in two vectors belongs to neither of them and no comparison sees it. "No
// limit" is a Limits entry without a bound, never a big number. A Sum is as wide
// as any history of such amounts, so adding and taking away never wraps and an
// undo is exact to the unit.
//
// Amounts are compared in single dimensions, where something is decided. The
// twenty comparisons of the resource-model seed stand in compare_test.go, for its
// examples (docs/seed-map.md lists them). No float is involved anywhere.
//
// The package knows no node, task or queue. It does not parse quantities: the
// package that translates objects into facts does.
package resource
