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
