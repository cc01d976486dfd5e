// Package web tests the page of `ashlar web` as a person uses it: a real Chromium opens it, clicks, types and reads.
// It talks to the browser over a pipe, in the DevTools protocol, and needs nothing else. Without Chromium the tests
// say that they were skipped.
//
// The screenshots in docs/images are made by TestScreenshots with -update.
package web
