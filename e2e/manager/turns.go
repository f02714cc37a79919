package manager

// turns lets one caller go at a time. While others wait for their turn simulated time goes on, as it does not with a sync.Mutex.
type turns chan struct{}

func newTurns() turns { return make(turns, 1) }

func (t turns) take() { t <- struct{}{} }

func (t turns) give() { <-t }
