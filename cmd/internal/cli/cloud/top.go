package cloud

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/connect"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// redraw is the time between two looks at a cloud that changes all the while.
const redraw = 500 * time.Millisecond

func newTopCommand() *cobra.Command {
	var s connect.Session
	cmd := &cobra.Command{
		Use: "top", Short: "Follow zones, load balancers, faults and calls on one screen", Args: usage.NoArgs,
		Long: `Follow zones, load balancers, faults and calls on one screen, until Ctrl-C. Where
the output is no terminal it is written once. In a browser, "simcloud console" opens
a page that shows more, and acts.`,
		Example: "  simcloud top",
	}
	cmd.RunE = s.Run(func(ctx context.Context, c *client.Client, out io.Writer, _ []string) error {
		if terminal := output.Terminal(out); terminal != nil {
			return followTop(ctx, c, terminal)
		}
		return (&viewer{client: c}).write(ctx, out, screen{})
	})
	s.Conn.AddFlags(cmd)
	return cmd
}

// screen is the size of a terminal; 0 where there is no bound.
type screen struct{ width, height int }

// write looks at the cloud and writes what fits a screen.
func (v *viewer) write(ctx context.Context, out io.Writer, size screen) error {
	seen, err := v.look(ctx)
	if err != nil {
		return err
	}
	text, err := seen.text(v.client.Endpoint())
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, size.cut(text))
	return err
}

// cut keeps what fits: a terminal breaks longer lines, and scrolls.
func (s screen) cut(text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if s.height > 0 && len(lines) > s.height {
		lines = lines[:s.height]
	}
	for i, line := range lines {
		if runes := []rune(line); s.width > 0 && len(runes) > s.width {
			lines[i] = string(runes[:s.width])
		}
	}
	if s.height > 0 {
		return strings.Join(lines, "\n")
	}
	return strings.Join(lines, "\n") + "\n"
}

// What a terminal does: another screen without a cursor and back, and the cursor to the beginning, the rest of a line
// and what is below it empty.
const (
	enterScreen = "\x1b[?1049h\x1b[?25l"
	leaveScreen = "\x1b[?25h\x1b[?1049l"
	home        = "\x1b[H"
	clearLine   = "\x1b[K"
	clearBelow  = "\x1b[J"
)

// followTop draws the cloud whenever it has changed, until ctx ends.
func followTop(ctx context.Context, c *client.Client, out *os.File) (err error) {
	if _, err := out.WriteString(enterScreen); err != nil {
		return err
	}
	defer func() {
		if _, left := out.WriteString(leaveScreen); err == nil {
			err = left
		}
	}()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	changed := make(chan struct{}, 1)
	go watchCalls(ctx, c, changed)
	tick, v := time.NewTicker(redraw), &viewer{client: c}
	defer tick.Stop()
	for {
		if err := v.draw(ctx, out); err != nil && ctx.Err() == nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// draw writes over what the terminal shows.
func (v *viewer) draw(ctx context.Context, out *os.File) error {
	width, height, err := term.GetSize(int(out.Fd()))
	if err != nil {
		return err
	}
	var frame bytes.Buffer
	if err := v.write(ctx, &frame, screen{width, height}); err != nil {
		return err
	}
	text := strings.ReplaceAll(frame.String(), "\n", clearLine+"\r\n")
	_, err = out.WriteString(home + text + clearLine + clearBelow)
	return err
}

// watchCalls tells of calls and changes of the cloud. When a stream breaks, the next look at the cloud says why.
func watchCalls(ctx context.Context, c *client.Client, changed chan<- struct{}) {
	tell := func() {
		select {
		case changed <- struct{}{}:
		default: // it is told already
		}
	}
	for ctx.Err() == nil {
		since, err := c.GetState(ctx)
		if err == nil {
			for _, err = range c.WatchEvents(ctx, since.Revision) {
				if err != nil {
					break
				}
				tell()
			}
		}
		tell()
		select {
		case <-ctx.Done():
		case <-time.After(redraw):
		}
	}
}
