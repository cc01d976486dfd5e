// Package filters wraps Kubernetes' own stateful scheduler plugins.
package filters

import _ "k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"
