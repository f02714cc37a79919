package client

import (
	"context"
	"errors"
	"iter"
	"net/url"
	"strconv"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// ListJournal returns the recorded calls that match, oldest first.
func (c *Client) ListJournal(ctx context.Context, filter simcloud.JournalFilter) ([]simcloud.JournalEntry, error) {
	req, err := newRequest("ListJournal", nil)
	if err != nil {
		return nil, err
	}
	req.query = journalQuery(filter)
	if filter.Settled {
		req.query.Set("settled", "true")
		req.patient = true
	}
	page, err := perform(ctx, c, req, func(page *simcloud.Page[simcloud.JournalEntry]) error {
		if page.Items == nil {
			return errors.New("a journal without items")
		}
		for _, entry := range page.Items {
			if entry.Seq == 0 {
				return errors.New("an entry without a number")
			}
		}
		return nil
	})
	return page.Items, err
}

// WatchJournal yields the recorded calls that match and then those to come.
func (c *Client) WatchJournal(ctx context.Context, filter simcloud.JournalFilter) iter.Seq2[simcloud.JournalEntry, error] {
	return stream[simcloud.JournalEntry](ctx, c, "WatchJournal", journalQuery(filter))
}

// GetJournalEntry returns one recorded call by its number, with what it sent and got.
func (c *Client) GetJournalEntry(ctx context.Context, seq simcloud.ID) (simcloud.JournalEntry, error) {
	return call(ctx, c, "GetJournalEntry", nil, nil, []simcloud.ID{seq}, func(entry *simcloud.JournalEntry) error {
		if string(seq) != strconv.FormatUint(entry.Seq, 10) {
			return errors.New("not the call that was asked for")
		}
		return nil
	})
}

// ClearJournal forgets the recorded calls.
func (c *Client) ClearJournal(ctx context.Context) error {
	_, err := call(ctx, c, "ClearJournal", nil, nil, nil, checkDone)
	return err
}

func journalQuery(filter simcloud.JournalFilter) url.Values {
	query := url.Values{}
	set := func(name, value string, has bool) {
		if has {
			query.Set(name, value)
		}
	}
	set("after", strconv.FormatUint(filter.After, 10), filter.After != 0)
	set("operation", filter.Operation, filter.Operation != "")
	set("resource", filter.Resource, filter.Resource != "")
	set("userAgent", filter.UserAgent, filter.UserAgent != "")
	set("project", string(filter.Project), filter.Project != "")
	set("code", string(filter.Code), filter.Code != "")
	set("fault", string(filter.Fault), filter.Fault != "")
	set("errors", "true", filter.Errors)
	set("writes", "true", filter.Writes)
	set("bodies", "true", filter.Bodies)
	return query
}
