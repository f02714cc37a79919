package wire

import "time"

// deadline is until when the reads, or the writes, of an end may wait.
type deadline struct {
	at    time.Time // zero for no deadline
	wake  func()    // lets those who wait look again
	timer *time.Timer
	armed time.Time // when the timer fires; zero when it does not
}

// passed reports whether it is too late.
func (d *deadline) passed() bool { return !d.at.IsZero() && !time.Now().Before(d.at) }

// arm lets wake be called at the deadline.
func (d *deadline) arm() {
	if d.at.IsZero() || d.armed.Equal(d.at) {
		return
	}
	d.armed = d.at
	if d.timer == nil {
		d.timer = time.AfterFunc(time.Until(d.at), d.wake)
		return
	}
	d.timer.Reset(time.Until(d.at))
}

// stop ends the timer.
func (d *deadline) stop() {
	if d.timer != nil {
		d.timer.Stop()
	}
}

// wake returns what the timer of a deadline does.
func (c *conn) wake(d *deadline) func() {
	return func() {
		c.host.network.mu.Lock()
		defer c.host.network.mu.Unlock()
		d.armed = time.Time{}
		c.changed.Broadcast()
	}
}
