// Package fuzz gives the engine objects as a hostile tenant, or a careless operator, writes them: any JSON of each
// kind, any text in each annotation, amount, selector and CEL expression. What it is told passes the same translation
// as what an API server sends, and more of it, since no validation of the API server stands before it.
//
// Whatever comes: nothing panics, the engine's books are in order, no pod of another tenant is evicted, and a cycle
// ends within a bounded time. Targets for what is no object lie beside their parsers: `grep -r 'func Fuzz'` lists all.
package fuzz
