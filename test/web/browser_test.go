package web

import (
	"testing"

	"ashlar.sh/test/chromium"
)

// browser is a Chromium that opens pages.
type browser struct{ *chromium.Browser }

// page is a page, with what these tests do in it.
type page struct{ *chromium.Page }

// start starts a browser for a test.
func start(t *testing.T) *browser {
	t.Helper()
	return &browser{chromium.Start(t)}
}

// open opens an address in a window of a width and a height.
func (b *browser) open(t *testing.T, address string, width, height int) *page {
	t.Helper()
	return &page{b.Open(t, address, width, height)}
}
