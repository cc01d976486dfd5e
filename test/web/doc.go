// Package web tests the page of `ashlar web` as a person uses it: a real Chromium opens it, clicks, types and reads.
// Without Chromium the tests say that they were skipped. Those on a real control plane are in test/e2e.
//
// The screenshots in docs/images are made by TestScreenshots with -update.
package web
