// Package backfill decides for which waiting jobs room is kept, on which nodes and until when, so that jobs that come
// later are placed beside it and delay no job without end. Which of the kept room a job may take when it is placed, is
// said by package search; the room itself is in the ledger (ledger.KeptRoom). The action of that name places pods that
// ask for nothing, as in Volcano; action allocate calls this package.
//
//	planned_starts.go   the first jobs of a queue get a planned start, where that is configured (session.Backfill)
//	planner.go, stocks.go   the earliest time at which a job has a place, by the ends of pods and of devices' users
//	cover.go            what pods give back by a planned start, so that others may have it until then
//	keep_room.go, could_start.go   room for a gang that could have started without the pods that came after it
//
// Room is kept only in places that the search found for the whole gang, under every filter and rule of its queue.
package backfill
