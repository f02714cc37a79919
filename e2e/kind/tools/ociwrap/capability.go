package main

import (
	"slices"
	"strings"
)

// capabilitySysResource may raise limits and lower the score by which the
// kernel chooses whom to kill when memory ends.
const capabilitySysResource = 24

// capabilities are the names of capabilities by number, of linux/capability.h.
func capabilities() []string {
	return []string{
		"CHOWN", "DAC_OVERRIDE", "DAC_READ_SEARCH", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID",
		"SETPCAP", "LINUX_IMMUTABLE", "NET_BIND_SERVICE", "NET_BROADCAST", "NET_ADMIN", "NET_RAW", "IPC_LOCK", "IPC_OWNER",
		"SYS_MODULE", "SYS_RAWIO", "SYS_CHROOT", "SYS_PTRACE", "SYS_PACCT", "SYS_ADMIN", "SYS_BOOT", "SYS_NICE",
		"SYS_RESOURCE", "SYS_TIME", "SYS_TTY_CONFIG", "MKNOD", "LEASE", "AUDIT_WRITE", "AUDIT_CONTROL", "SETFCAP",
		"MAC_OVERRIDE", "MAC_ADMIN", "SYSLOG", "WAKE_ALARM", "BLOCK_SUSPEND", "AUDIT_READ", "PERFMON", "BPF", "CHECKPOINT_RESTORE",
	}
}

// lacksNamed reports whether the host lacks the capability of that name, such
// as CAP_SYS_ADMIN. Names that are newer than this program are the runtime's affair.
func (h host) lacksNamed(name string) bool {
	number := slices.Index(capabilities(), strings.TrimPrefix(strings.ToUpper(name), "CAP_"))
	return number >= 0 && h.lacks(number)
}
