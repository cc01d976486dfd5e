package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"
)

// readAPI says which scheduler's read API is asked; without any of it, it is found by its Lease.
type readAPI struct {
	address     string // of the API; "": it is found
	certificate string // its SHA-256
	home        string // namespace of the Lease; "": where it is by default
}

// homeVariable names the namespace of the scheduler's Lease, where no flag does.
const homeVariable = "ASHLAR_SCHEDULER_NAMESPACE"

// How long a scheduler is waited for that is there and does not answer: where something else can be asked, and where it
// alone is to be asked.
const (
	briefWait = 5 * time.Second
	longWait  = 30 * time.Second
)

func (r *readAPI) readFlags(f *pflag.FlagSet) {
	f.StringVar(&r.address, "read-api", "",
		"address of the scheduler's read API, such as https://localhost:8443; default: it is found by its Lease, and "+
			"reached by a port-forward")
	f.StringVar(&r.certificate, "read-api-certificate", "",
		"of --read-api: SHA-256 of its certificate, as in its log or in the label ashlar.sh/read-api-certificate of its "+
			"Lease")
	f.StringVar(&r.home, "scheduler-namespace", "",
		"namespace of the scheduler's Lease; default $"+homeVariable+", else ashlar-system and volcano-system")
}

// What --from says.
const (
	fromAny       = "auto"
	fromScheduler = "scheduler"
	fromObjects   = "objects"
)

// liveQuestions are the questions that a live scheduler answers.
type liveQuestions struct{ questions }

// fromFlags adds the flags that say what is asked about a live cluster.
func (s *source) fromFlags(f *pflag.FlagSet) {
	s.readFlags(f)
	f.StringVar(&s.from, "from", fromAny,
		"of a live cluster, what is asked: scheduler (its read API), objects (of the API server), or auto: the scheduler "+
			"where it can be reached, else the objects")
	f.BoolVarP(&s.verbose, "verbose", "v", false, "say on stderr what was asked")
}

// asksScheduler says that the live scheduler is asked, at least first. With a configuration of the person's own the
// question is what would be decided by that.
func (s *source) asksScheduler() bool {
	return (s.from == fromAny || s.from == fromScheduler) && len(s.files) == 0 && s.dump == "" && s.config == ""
}

// checkFrom refuses what does not go together.
func (s *source) checkFrom() error {
	if err := s.checkRead(); err != nil {
		return err
	}
	named := s.readAPI != readAPI{}
	switch {
	case s.from != "" && s.from != fromAny && s.from != fromScheduler && s.from != fromObjects:
		return fmt.Errorf("--from %q: expected auto, scheduler or objects", s.from)
	case (named || s.from == fromScheduler) && (len(s.files) > 0 || s.dump != ""):
		return errors.New("--from scheduler, --read-api and --scheduler-namespace are of a live cluster: leave out -f and " +
			"--dump")
	case (named || s.from == fromScheduler) && s.config != "":
		return errors.New("--from scheduler, --read-api and --scheduler-namespace: the scheduler decides by its own " +
			"configuration: leave out --scheduler-conf")
	case named && s.from == fromObjects:
		return errors.New("--from objects: leave out --read-api and --scheduler-namespace")
	}
	return nil
}

// checkRead refuses what does not go together.
func (r *readAPI) checkRead() error {
	switch {
	case r.certificate != "" && r.address == "":
		return errors.New("--read-api-certificate is of use with --read-api only")
	case r.address != "" && r.home != "":
		return errors.New("--read-api and --scheduler-namespace: give one of them")
	}
	return nil
}
