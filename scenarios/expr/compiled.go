package expr

import "sync"

// mostCompiled is how many expressions are kept.
const mostCompiled = 4096

// compiled keeps expressions by their source: those that read no captured names are the same in every scenario, and an
// exploration compiles the same ones for each of its histories.
type compiled struct {
	mu  sync.Mutex
	all map[string]Expr
}

var withoutCaptures compiled

// get is a copy of the expression, whose PlaceOf is the caller's.
func (c *compiled) get(source string) (*Expr, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, there := c.all[source]
	return &e, there
}

// put keeps an expression. It forgets all others when there are too many.
func (c *compiled) put(e Expr) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.all) >= mostCompiled || c.all == nil {
		c.all = map[string]Expr{}
	}
	c.all[e.Source] = e
}
