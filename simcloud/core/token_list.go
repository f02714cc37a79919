package core

import (
	"cmp"
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

var tokenStates = []simcloud.TokenState{simcloud.TokenActive, simcloud.TokenExpired, simcloud.TokenRevoked}

// ListTokens lists the tokens of all projects. It never is behind: an admin
// who has revoked a token has to see that.
func (c *Cloud) ListTokens(ctx context.Context, opts simcloud.ListOptions) (page simcloud.Page[simcloud.Token], err error) {
	if err := admit(ctx, request{admin: true}); err != nil {
		return page, err
	}
	size, err := checkList(store.Tokens.Noun(), opts, tokenStates)
	if err = cmp.Or(err, refersToNothing(store.Tokens.Noun(), opts)); err != nil {
		return page, err
	}
	matches, rest, err := parseSelector(opts.Selector)
	if err != nil {
		return page, err
	}
	filter := hash(string(simcloud.KindToken), opts.Name, opts.Selector, opts.State)
	after, err := parsePageToken(opts.PageToken, filter)
	if err != nil {
		return page, err
	}
	query := store.Query{Name: opts.Name, Labels: matches, After: after, Limit: size}
	err = c.view(ctx, func(tx *store.Tx, _ simcloud.Caller) error {
		var last uint64
		if opts.Page > 0 {
			page.Revision = tx.Revision()
			page.Items, page.Total, err = store.Tokens.Numbered(tx, query, (opts.Page-1)*size, c.showingTokens(opts.State, keep[simcloud.Token](rest)))
			return err
		}
		page.Items, last, err = store.Tokens.Page(tx, query, c.showingTokens(opts.State, keep[simcloud.Token](rest)))
		page.NextPage, page.Revision = pageToken(last, filter), tx.Revision()
		return err
	})
	return page, err
}

// showingTokens passes tokens as they are read. States are not looked up in the
// index, which does not know what has expired.
func (c *Cloud) showingTokens(state string, chosen func(*simcloud.Token) bool) func(*simcloud.Token) bool {
	now := c.clock.now()
	return func(token *simcloud.Token) bool {
		*token = shown(*token, now)
		return (state == "" || string(token.State) == state) && (chosen == nil || chosen(token))
	}
}

// allTokens returns all tokens as they are read.
func (c *Cloud) allTokens(tx *store.Tx) ([]simcloud.Token, error) {
	tokens, err := store.Tokens.All(tx)
	now := c.clock.now()
	for i := range tokens {
		tokens[i] = shown(tokens[i], now)
	}
	return tokens, err
}
