package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// errPortTaken marks the failure of a program because another one had taken its port.
var errPortTaken = errors.New("a port was taken by another program")

// process is a program that was started. exit may be read once done is closed.
type process struct {
	name string
	log  string
	cmd  *exec.Cmd
	done chan struct{}
	exit error
}

// launch starts the program at path with its output in dir/<name>.log.
func launch(name, path, dir string, flags []string) (*process, error) {
	log := filepath.Join(dir, name+".log")
	file, err := os.Create(log)
	if err != nil {
		return nil, err
	}
	defer file.Close() // the program has its own
	cmd := exec.Command(path, flags...)
	cmd.Dir = dir
	cmd.Stdout, cmd.Stderr = file, file
	if err := startToDieWithParent(cmd); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	p := &process{name: name, log: log, cmd: cmd, done: make(chan struct{})}
	go func() {
		p.exit = cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// await polls ready until it returns nil. It gives up when ctx or the program ends.
func (p *process) await(ctx context.Context, ready func(context.Context) error) error {
	var last error
	err := wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		if p.ended() {
			return false, p.failure()
		}
		once, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		last = ready(once)
		return last == nil, nil
	})
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%s is not ready: %w: %w; the end of its log:\n%s", p.name, ctx.Err(), last, p.tail())
	}
	return err
}

func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// failure tells why a program that has ended did so.
func (p *process) failure() error {
	how := "without an error"
	if p.exit != nil {
		how = p.exit.Error()
	}
	tail := p.tail()
	err := fmt.Errorf("%s ended by itself (%s); the end of its log:\n%s", p.name, how, tail)
	if bytes.Contains(tail, []byte("address already in use")) {
		return errors.Join(errPortTaken, err)
	}
	return err
}

// tail is the end of the program's log, some twenty lines.
func (p *process) tail() []byte {
	log, err := os.ReadFile(p.log)
	if err != nil {
		return []byte(err.Error())
	}
	lines := bytes.Split(bytes.TrimSpace(log), []byte("\n"))
	return bytes.Join(lines[max(0, len(lines)-20):], []byte("\n"))
}

// kill ends the program and waits until it is gone.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // fails only if it has ended
	<-p.done
}
