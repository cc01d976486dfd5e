package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of /proc's times: 100 a second, on every Linux that Go runs on.
const tick = 10 * time.Millisecond

// processes is the CPU time that this process and those it started have taken, by program. It is
// read from Linux; elsewhere it is empty.
func processes() map[string]time.Duration {
	out := map[string]time.Duration{}
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return out
	}
	self := strconv.Itoa(os.Getpid())
	for _, path := range all {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		// pid (name) state ppid ...; the times in user and kernel mode are the 14th and 15th.
		_, rest, _ := strings.Cut(string(text), "(")
		end := strings.LastIndex(rest, ")")
		if end < 0 {
			continue
		}
		name, fields := rest[:end], strings.Fields(rest[end+1:])
		mine := filepath.Base(filepath.Dir(path)) == self
		if len(fields) < 13 || !mine && fields[1] != self {
			continue
		}
		if mine {
			name = "load and observer"
		}
		user, _ := strconv.Atoi(fields[11])
		kernel, _ := strconv.Atoi(fields[12])
		out[name] += time.Duration(user+kernel) * tick
	}
	return out
}

// work is the CPU time in microseconds that a pod's binding took, by program. Where every core is
// busy the rates follow from the sum, and other things that the machine does do not change it.
type work map[string]float64

func workOf(before, after map[string]time.Duration, pods int) work {
	w := work{}
	own := processName()
	for name, t := range after {
		d := float64((t - before[name]).Microseconds()) / float64(pods)
		if name == own {
			name = "the scheduler"
		}
		w[name] = d
	}
	return w
}

// processName is this program's name as Linux has it, and so its child's.
func processName() string {
	name := filepath.Base(os.Args[0])
	return name[:min(len(name), 15)]
}
