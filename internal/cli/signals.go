package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// untilInterrupted is a context that ends with the first SIGTERM or Ctrl-C. After stop these end the process at once.
func untilInterrupted(ctx context.Context) (_ context.Context, stop context.CancelFunc) {
	return signal.NotifyContext(ctx, syscall.SIGTERM, os.Interrupt)
}

// whileReading is untilInterrupted for commands that change nothing: of these the second Ctrl-C ends the process at
// once, whatever it waits for.
func whileReading(ctx context.Context) (_ context.Context, stop context.CancelFunc) {
	ctx, stop = untilInterrupted(ctx)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
