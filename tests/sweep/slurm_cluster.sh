# A Slurm of one's own, for tests: munged, slurmctld and two slurmd in a folder, on loopback ports, with a key and a
# socket that nobody else has. Read by the scripts that use it:
#
#   slurm_start FOLDER [LINE...]   starts all of it, with these lines more in slurm.conf; exits with 77 where that cannot be
#   slurm_stop                     ends all of it, and what it has started; for a trap
#   slurm_controller, slurm_node N start one of these (again)
#
# SPDX-License-Identifier: Apache-2.0

slurm_skip() { echo "skipped: $*"; exit 77; }

# Its death is theirs; the shell's own number of each is kept.
slurm_daemon() {   # slurm_daemon NAME WORDS...
  name=$1
  shift
  setpriv --pdeathsig KILL "$@" >"$slurm/$name.out" 2>&1 &
  echo $! >"$slurm/$name.pid"
}
slurm_controller() { slurm_daemon slurmctld slurmctld -D; }
slurm_node() { slurm_daemon "n$1" slurmd -D -N "n$1"; }
slurm_pid() { cat "$slurm/$1.pid"; }

slurm_write_config() {   # slurm_write_config PORT LINE...
  port=$1
  shift
  user=$(id -un) host=$(hostname -s)
  cat >"$slurm/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
AuthType=auth/munge
AuthInfo=socket=$slurm/munge/socket
CredType=cred/munge
SlurmUser=$user
SlurmdUser=$user
StateSaveLocation=$slurm/state
SlurmctldPidFile=$slurm/slurmctld.own.pid
SlurmdSpoolDir=$slurm/spool/%n
SlurmdPidFile=$slurm/%n.own.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000,sched_interval=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
DefMemPerCPU=500
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=2
AccountingStorageType=accounting_storage/none
ReturnToService=2
MessageTimeout=30
SlurmdTimeout=60
KillWait=10
MinJobAge=10
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=2 RealMemory=2000
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=2 RealMemory=2000
PartitionName=main Nodes=n1,n2 Default=YES MaxTime=60 State=UP OverSubscribe=NO
END
  for line; do echo "$line" >>"$slurm/slurm.conf"; done
}

slurm_up() { [ "$(sinfo --noheader --Node --format=%T 2>/dev/null | grep -c idle)" = 2 ]; }
slurm_wait() {   # slurm_wait SECONDS COMMAND...: until it is true
  tries=$(($1 * 5))
  shift
  until "$@"; do
    tries=$((tries - 1))
    [ $tries -gt 0 ] || return 1
    sleep 0.2
  done
}

slurm_start() {
  for command in munged slurmctld slurmd sbatch squeue scontrol scancel sinfo setpriv; do
    PATH=$PATH:/usr/sbin command -v $command >/dev/null || slurm_skip "no $command (packages slurm-wlm, munge)"
  done
  PATH=$PATH:/usr/sbin
  slurm=$1
  shift
  mkdir -p "$slurm/munge" "$slurm/state" "$slurm/spool/n1" "$slurm/spool/n2"
  chmod 711 "$slurm" "$slurm/munge"
  SLURM_CONF=$slurm/slurm.conf
  export SLURM_CONF
  (umask 077 && head -c 1024 /dev/urandom >"$slurm/munge/key")
  slurm_daemon munged munged --foreground --force --num-threads=4 --socket="$slurm/munge/socket" \
    --key-file="$slurm/munge/key" --pid-file="$slurm/munge/pid" --log-file="$slurm/munge/log" \
    --seed-file="$slurm/munge/seed"
  slurm_wait 20 test -S "$slurm/munge/socket" || slurm_skip "munged does not start: $(tail -n 1 "$slurm/munged.out")"
  for try in 1 2 3; do   # ports that somebody has are found out by trying
    slurm_write_config $((20000 + ($$ * 7 + try * 1009) % 12000)) "$@"
    slurm_controller
    slurm_node 1
    slurm_node 2
    ! slurm_wait 30 slurm_up || return 0
    for name in n1 n2 slurmctld; do kill -9 "$(slurm_pid $name)" 2>/dev/null || :; done
  done
  slurm_skip "Slurm does not start here: $(grep -hm 1 -iE 'fatal|error' "$slurm"/slurmctld.out "$slurm"/n1.out)"
}

# Processes that were started with this configuration: the daemons, steps of jobs, and these themselves.
slurm_processes() {
  (unset SLURM_CONF; grep -lzxF "SLURM_CONF=$slurm/slurm.conf" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3)
}

slurm_stop() {
  [ -n "${slurm:-}" ] || return 0
  for try in 1 2 3 4 5; do
    left=$(slurm_processes)
    # shellcheck disable=SC2086
    [ -z "$left" ] || kill -9 $left 2>/dev/null || :
    [ -n "$left" ] || break
    sleep 0.2
  done
  slurm=
}
