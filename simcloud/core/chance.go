package core

// Chance returns the seed that all chance of the cloud comes from: the one it
// was made with, whatever its configuration says today.
func (c *Cloud) Chance() uint64 { return c.seed.Load() }
