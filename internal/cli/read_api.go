package cli

import (
	"errors"
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
