package ledger

// jobMarks says on which lists of the ledger a job is.
type jobMarks struct {
	claiming    bool // it is on the list of claimants
	apart       bool // it is noted as a job that may count in another queue than facts name
	asksNothing bool // its pending members ask for nothing: see serves
	activeAt    int32
	dirty       bool
	touched     bool
	free        bool
	charged     int32 // charged members: they keep it in its queue
}

// decidedPhase is a phase that was decided and is not visible yet.
type decidedPhase struct {
	version uint64 // of the group's fact
	held    bool
	item    uint64
	at      uint64 // the version of the group's fact that the phase was decided on
}

// jobWaits is what a job that has no place gives to others meanwhile.
type jobWaits struct {
	lending Lending
	paused  bool  // it pauses as a whole, so it keeps no room for its minimum
	from    int64 // see Wait
	podless int64 // see Await
}
