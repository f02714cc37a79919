package kind

import (
	"fmt"
	"strings"

	"sigs.k8s.io/kind/pkg/log"
)

// logger tells what kind logs. Its debug output is left out.
type logger struct{ tell func(string) }

var _ log.Logger = (*logger)(nil)

func (l *logger) Warn(message string)               { l.say(message) }
func (l *logger) Warnf(format string, args ...any)  { l.say(fmt.Sprintf(format, args...)) }
func (l *logger) Error(message string)              { l.say(message) }
func (l *logger) Errorf(format string, args ...any) { l.say(fmt.Sprintf(format, args...)) }

// V returns who hears of a level: 0 is for users.
func (l *logger) V(level log.Level) log.InfoLogger {
	if level > 0 {
		return log.NoopInfoLogger{}
	}
	return infoLogger{l}
}

// say passes on lines with text in them, without kind's ornaments, and without
// those that say that what they announced is done, or that doubt the network.
func (l *logger) say(text string) {
	for line := range strings.Lines(text) {
		words := strings.Join(strings.Fields(strings.Map(plain, line)), " ")
		if words == "" || strings.Contains(line, "✓") || strings.Contains(line, "KIND_EXPERIMENTAL") || strings.Contains(line, "Here be dragons") {
			continue
		}
		l.tell("kind: " + words)
	}
}

// plain leaves symbols and pictures out.
func plain(r rune) rune {
	if r >= 0x2000 {
		return -1
	}
	return r
}

type infoLogger struct{ *logger }

func (l infoLogger) Info(message string)              { l.say(message) }
func (l infoLogger) Infof(format string, args ...any) { l.say(fmt.Sprintf(format, args...)) }
func (l infoLogger) Enabled() bool                    { return true }
