// Package world runs the whole live scheduler in a world of simulated time and trouble: a model of the API server
// (apimodel), nodes that run pods, controllers and users, and a network that loses, delays and breaks what it carries.
//
// Everything happens in a bubble of testing/synctest: hours pass in seconds. One goroutine, the driver, decides the
// order of all that the API server does: it waits until every other goroutine waits, orders what they ask for by what
// it says, draws what happens to it from a seed, and does one thing at a time. One seed names one run, of this version
// of the code and its libraries: TestASeedIsOneRun compares all requests and writes of two runs. For that one
// processor runs all goroutines, facts that come at one time are put in order, a cycle waits until all that happens
// at one time has happened (loop.Simulated), and no two times of an election run out together.
//
// What must always hold is checked from the API server's side alone, at every write, and once the trouble has ended.
//
// In one world of four users ask the read API, each what it may and may not: no answer tells a name of a namespace that
// its reader may not see, is from a scheduler without the lease or about a time that is long over, says that a pod runs
// that does not, gives a start in the past, or calls a job impossible that then starts though nothing has changed.
// Asking changes no decision.
//
// Most worlds do without HTTP (direct), which would take a third of their processor time; one in eight has it.
//
// Each machine has a configuration file and a clock of its own, which a life goes by: replicas differ in both, and so
// do the lives of one machine. What is set while a life goes on moves none of its deadlines (loop.now).
//
// Worlds of seeds from wider on may have more: records that another version of the program left, zones and taints that
// come and go, an API server that lags, devices and volumes. The seeds below it name the worlds that they named before.
//
// Worlds of seeds from widest on may have still more: taints by which pods have to leave at once or after a while,
// devices that the pods of a job share, claims made from templates, volumes that are there before their claims.
//
// Worlds of seeds from slower on may have all that, at the pace of clusters outside of worlds: jobs come, run and meet
// trouble 6 to 30 times slower, so that what a scheduler waits for, for minutes or half an hour, ends while jobs run.
// An hour takes a tenth of the processor time there.
//
// In half of the worlds of seeds from longHeldFrom on, the API server also holds writes of a scheduler: it answers
// nothing, and carries them out up to a minute later, while that scheduler still acts.
//
// In worlds of seeds from ownedFrom on, the pods of most jobs have a controller that the API server shows, and in half
// of them it refuses for minutes to bind one pod: gangs in part are released. In worlds below it no pod has one, and
// members of a gang in part stay, by the rules of docs/live.md.
//
// In worlds of seeds from rewiredFrom on, HyperNodes say which nodes are in one rack, which operators change, and some
// jobs ask for one rack. In most worlds of seeds from extendedFrom on, pods of some jobs ask for devices by an extended
// resource, and schedulers make their claims. In most worlds of seeds from movedFrom on, two queues are below a third,
// which bounds them together, and operators move queues and delete the one above.
//
// Worlds of seeds from fullerFrom on have, beside all that, an autoscaler, which removes empty nodes and adds them
// again, kube-scheduler, which binds its own pods to nodes that had room when it looked, refusals of writes about any
// object, bugs that show once a request was carried out, and tenants that write all fields of pods and PodGroups, and
// claims that say that a scheduler made them. One in twenty of them is dense: its pace is 1 to 5.
//
// Worlds of seeds from kindsFrom on have jobs of which the pods are made as the controllers of Kubernetes and Volcano
// make them: a Job and a ReplicaSet replace a pod that leaves by one of another name, while it is still there, and a
// Volcano job makes none before its PodGroup is admitted, and begins again as a whole when it lost one. Users scale
// them, and their containers fail. Some pods take minutes to leave, or stay as long as there is trouble, some may not
// be deleted, and some have a gate at first. PriorityClasses are deleted and made again.
//
// A defect is tried first in the worlds that found it before (testdata/found.txt). A world that failed once runs for 5
// minutes of trouble, or for as long as it did then: in the history that it failed in it goes on only until the code
// changes, and its mix of trouble, which stays, shows from the beginning on.
//
// Below kindsFrom controllers are one: it makes the pods of a job that are missing, names the controller of most, and
// ends the job. Those of Volcano write nothing into the status of PodGroups, but for a rival that takes over as
// Volcano's scheduler does.
//
// Not modelled: TLS and HTTP/2, requests that arrive later than a lease's margin, bindings by a scheduler of another
// version (it leaves records alone), streams of the read API and its connections. A process that stands still is kept
// at its edges: it hears nothing, begins no connection and decides nothing, while its timers run.
package world
