package cli

import "github.com/spf13/cobra"

// scheduler is the verb of the live scheduler, and what the binary does when it is
// called vc-scheduler. It says that it is not there yet, whatever its flags: a pod
// that does nothing and seems well would be worse than one that fails.
func (p Process) scheduler() *cobra.Command {
	return &cobra.Command{
		Use:                "scheduler",
		Short:              "Schedule a cluster (not in this version)",
		DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error {
			return badInput("error: the live scheduler is not in this version of ashlar: it cannot take the place of vc-scheduler yet.",
				"Keep the scheduler that runs, and use 'ashlar simulate' to see what ashlar would decide.")
		},
	}
}
