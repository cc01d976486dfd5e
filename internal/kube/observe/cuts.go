package observe

import (
	"google.golang.org/protobuf/encoding/protowire"
)

// cuts are fields of a protobuf message that are left out: nil stands for the whole field, others for fields of the
// message in it.
type cuts map[protowire.Number]cuts

// podCuts are fields of a pod that stripPod drops, those that take much room or time.
var podCuts = cuts{
	1: {17: nil}, // metadata: managedFields
	2: { // spec
		1:  {2: storageCuts},
		2:  containerCuts,
		20: containerCuts,
		34: nil, 15: nil, 23: nil, 26: nil, // ephemeralContainers, imagePullSecrets, hostAliases, dnsConfig
	},
	3: { // status
		8:  containerStatusCuts,
		10: containerStatusCuts,
		13: nil,                           // ephemeralContainerStatuses
		5:  nil, 16: nil, 6: nil, 12: nil, // hostIP, hostIPs, podIP, podIPs
		3: nil, 4: nil, 9: nil, // message, reason, qosClass
	},
}

// podListCuts are those of the pods of a list.
var podListCuts = cuts{2: podCuts}

var containerCuts = cuts{
	7: nil, 19: nil, 9: nil, 21: nil, // env, envFrom, volumeMounts, volumeDevices
	10: nil, 11: nil, 22: nil, 12: nil, // the probes, lifecycle
	5: nil, 13: nil, 20: nil, 14: nil, // workingDir, what tells of termination, imagePullPolicy
	15: nil, 23: nil, // securityContext, resizePolicy
}

var containerStatusCuts = cuts{
	2: {1: nil, 2: nil},    // state: waiting, running
	3: nil,                 // lastState
	6: nil, 7: nil, 8: nil, // image, imageID, containerID
	12: nil, 13: nil, 14: nil, // volumeMounts, user, allocatedResourcesStatus
}

// storageCuts are what a volume may be that has no say in where its pod runs.
var storageCuts = cuts{1: nil, 2: nil, 6: nil, 7: nil, 16: nil, 19: nil, 26: nil, 28: nil, 30: nil}

// from leaves the fields out of a message, in the memory of the message. The length of a message in it is written in as
// many bytes as before: protobuf allows that.
func (c cuts) from(message []byte) ([]byte, error) {
	out := message[:0]
	for len(message) > 0 {
		field, kind, tag := protowire.ConsumeTag(message)
		if tag < 0 {
			return nil, protowire.ParseError(tag)
		}
		size := protowire.ConsumeFieldValue(field, kind, message[tag:])
		if size < 0 {
			return nil, protowire.ParseError(size)
		}
		whole := message[:tag+size]
		message = message[tag+size:]
		inside, named := c[field]
		switch {
		case named && inside == nil:
		case named && kind == protowire.BytesType:
			value, _ := protowire.ConsumeBytes(whole[tag:])
			head := len(whole) - len(value)
			at := len(out)
			out = append(out, whole[:head]...)
			left, err := inside.from(value)
			if err != nil {
				return nil, err
			}
			putLength(out[at+tag:], len(left))
			out = append(out, left...)
		default:
			out = append(out, whole...)
		}
	}
	return out, nil
}

// putLength writes a length in all bytes that there are.
func putLength(in []byte, n int) {
	last := len(in) - 1
	for i := range in[:last] {
		in[i] = byte(n)&0x7f | 0x80
		n >>= 7
	}
	in[last] = byte(n)
}
