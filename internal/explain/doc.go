// Package explain makes prose and documents of what the engine decided.
//
// It is the only place with sentences: a trace.Reason becomes one by Sentence, a
// trace.Event becomes a log line by Log, and a sched.Report with the run's summary
// becomes one structure, Report, that is printed as JSON, YAML or text. Users,
// events, logs and the web therefore read the same words and the same amounts.
//
// It decides nothing and computes no figure that a decision rests on: the ratios that
// it draws are for the eye. Invariants: amounts are canonical Kubernetes quantities
// (resource.Quantity's), equal input gives equal output to the byte, every
// trace.Code and every trace.EventKind has its words, and no list of the JSON
// document is null.
package explain
