// Package world runs the whole live scheduler in a world of simulated time and trouble: a model of the API server
// (apimodel), nodes that run pods, controllers and users, and a network that loses, delays and breaks what it carries.
//
// Everything happens in a bubble of testing/synctest: hours pass in seconds. One goroutine, the driver, decides the
// order of
// all that the API server does: it waits until every other goroutine waits, orders what they ask for by what it says,
// draws what happens to it from a seed, and does one thing at a time. One seed names one run, but where goroutines of a
// scheduler race at one moment: of 22 seeds that ran twice, one had two histories.
//
// What must always hold is checked from the API server's side alone, at every write, and once the trouble has ended.
//
// Not modelled: TLS and HTTP/2, a process that stands still while the others go on (a network that stands still is),
// clocks that differ, requests that arrive later than a lease's margin, volumes and devices, other schedulers.
package world
