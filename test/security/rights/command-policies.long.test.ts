import { afterAll, expect, test } from 'vitest';
import { openSimulatedHosts } from '../../helpers/devices/simulated-hosts.ts';
import { SCRIPTS } from '../../lab/devices/scripts.ts';

const { device, done, run } = await openSimulatedHosts();
const counts = { drivers: 0, hostile: 0, benign: 0 };
afterAll(() => {
  const { drivers, hostile, benign } = counts;
  console.info(
    `command policies: ${hostile} hostile and ${benign} benign lines on ${drivers} kinds of device`,
  );
});

const SHELLS = ['linux', 'cumulus_linux', 'f5_linux', 'vyos', 'ubiquiti_edgerouter', 'cisco_apic'];
const SROS = ['nokia_sros', 'alcatel_sros', 'nokia_srl'];
const JUNOS = ['juniper', 'juniper_junos'];
const DISPLAY = ['huawei', 'huawei_vrp', 'huawei_vrpv8', 'hp_comware', 'h3c'];
/** Systems on which `;` is known to be an ordinary character. */
const ONE_COMMAND = ['cisco_ios', 'cisco_xe', 'cisco_asa', ...JUNOS];

/** The command that restarts a kind of device. */
function restart(type: string): string {
  if (JUNOS.includes(type)) return 'request system reboot';
  if (SROS.includes(type)) return 'admin reboot';
  if (DISPLAY.includes(type)) return 'reboot';
  if (type === 'mikrotik_routeros') return '/system reboot';
  if (type === 'fortinet') return 'execute reboot';
  return SHELLS.includes(type) ? 'reboot' : 'reload';
}

const looks = (type: string) => (DISPLAY.includes(type) ? 'display version' : 'show version');

/** The restart as somebody would write it who wants it to pass. */
function disguised(type: string): string[] {
  const command = restart(type);
  const look = looks(type);
  const word = command.split(/[ /]/).at(-1) ?? '';
  const cut = (text: string, sign: string) =>
    command.replace(word, `${text}${sign}${word.slice(text.length)}`);
  const lines = [
    command,
    `  ${command}`,
    command.replaceAll(' ', '   '),
    `${command} now`,
    command.toUpperCase(),
    command.replace(word, word[0]?.toUpperCase() + word.slice(1)),
    command.replace(word, `"${word}"`),
    command.replace(word, `'${word}'`),
    `\u00a0${command}`,
    `\u200b${command}`,
    `\ufeff${command}`,
    cut('re', '\u200d'),
    cut('re', '\u00ad'),
    cut('re', '"'.repeat(2)),
    cut('re', '\\'),
    `${look}\u2028${command}`,
    `${look}\u008a${command}`,
    `${look} \u00ca${command}`,
    `${look}\u3000| include x\\`,
    `sudo ${command}`,
    `alias exec zz ${command}`,
    `watch ${command}`,
    `bash -c "${command}"`,
    'bash',
    'python3 -c 1',
    'tclsh',
    `!${command}`,
  ];
  const isComment = !SHELLS.includes(type);
  const sent = isComment ? lines.filter((line) => !line.startsWith('!')) : lines;
  if (!SHELLS.includes(type) || type === 'vyos') {
    if (!['linux'].includes(type))
      sent.push(...abbreviated(type, command), ...(SHELLS.includes(type) ? [] : [cut('re', '?')]));
  }
  if (!ONE_COMMAND.includes(type)) sent.push(`${look} ; ${command}`, `${look};${command}`, `;;${command}`);
  if (type !== 'mikrotik_routeros' && type !== 'cisco_wlc') sent.push(...piped(look));
  if (JUNOS.includes(type) || type === 'paloalto_panos') sent.push(`run ${command}`, `run   ${command}`);
  else sent.push(`do ${command}`);
  return [...sent, ...own(type, command, look)];
}

function abbreviated(type: string, command: string): string[] {
  if (type === 'vyos') return [];
  const words = command.split(' ');
  const cut = words.map((word) => word.slice(0, Math.max(3, word.length - 2))).join(' ');
  return [cut, `${words.slice(0, -1).join(' ')} ${words.at(-1)?.slice(0, 3)} /noverify`.trim()];
}

const piped = (look: string) => [
  `${look} | redirect flash:x`,
  `${look}|redirect flash:x`,
  `${look} | tee flash:x`,
  `${look} | append flash:x`,
  `${look} | save x`,
  `${look} | file x`,
  `${look} | bash`,
  `${look} | python`,
  `${look} | vsh`,
  `${look} | include x | tee y`,
  `${look} | "redirect" x`,
  `${look} | `,
];

/** What only some systems would fall for. */
function own(type: string, command: string, look: string): string[] {
  if (SHELLS.includes(type)) {
    return [
      ...[`${look} && ${command}`, `false || ${command}`, `${look} & ${command}`, `${look} | ${command}`],
      ...[
        `$(${command})`,
        `\`${command}\``,
        `(${command})`,
        `{ ${command}; }`,
        `/sbin/${command}`,
        `\\${command}`,
      ],
      ...[
        `re''boot`,
        `r"e"boot`,
        're$@boot',
        `$${'{x}'}reboot`,
        '$x',
        '/sbin/reb?ot',
        '/sbin/rebo*',
        'x=reboot',
        '!reb',
      ],
      ...[`env A=1 ${command}`, `nohup ${command}`, `exec ${command}`, `eval ${command}`, `time ${command}`],
      ...[
        `sh -c ${command}`,
        `/bin/sh -c ${command}`,
        `echo ${command} | sh`,
        `su -c '${command}'`,
        `ssh h ${command}`,
      ],
      ...[
        `if true; then ${command}; fi`,
        `! ${command}`,
        `> x ${command}`,
        `< x ${command}`,
        'cat <<E',
        "echo '",
      ],
      ...[
        `xargs ${command}`,
        `find . -exec ${command} +`,
        `su -c 're""boot'`,
        `su -c 're$x'`,
        "$'\\x72eboot'",
        '. ./x',
      ],
      ...[
        `command ${command}`,
        `busybox ${command}`,
        `cat <(${command})`,
        `echo "$(${command})"`,
        `a() { ${command}; }`,
      ],
    ];
  }
  if (type === 'cisco_nxos')
    return [
      `${look} | vsh -c "${command}"`,
      `${look} > bootflash:x`,
      `cli alias name zz ${command}`,
      `cli var name X ${command}`,
      '$(X)',
      `run bash sudo ${command}`,
      `${look} | sed -e "1w x"`,
      `slot 1 ${command}`,
      'run guestshell',
      `${look} | incl x ; rel`,
    ];
  if (type === 'arista_eos')
    return [
      `watch 1 ${command}`,
      `${look} | awk "{system(\\"${command}\\")}"`,
      `${look} > flash:x`,
      'bash sudo reboot',
    ];
  if (type === 'cisco_xr')
    return ['run reboot', `admin ${command}`, `${look} | utility script x`, 'ru reboot'];
  if (type === 'cisco_ios' || type === 'cisco_xe')
    return [
      'rel',
      'relo',
      `${look} | red flash:x`,
      `${look} | r flash:x`,
      `${look} | a flash:x`,
      'tcl',
      `kron ${command}`,
      `action 1 cli command "${command}"`,
      `do-exec ${command}`,
      'guestshell run reboot',
      `do do ${command}`,
    ];
  if (JUNOS.includes(type))
    return [
      'start shell',
      'sta sh',
      'req sys reb',
      `${look} | sa x`,
      'request routing-engine execute command x',
      `run start shell command "${command}"`,
      `set event-options policy p then execute-commands commands "${command}"`,
    ];
  if (type === 'mikrotik_routeros')
    return [
      '/system/reboot',
      'reboot',
      ':do { /system reboot }',
      '[/system reboot]',
      ':execute "/system reboot"',
      ':foreach i in=1 do={/system reboot}',
      '/system script run x',
      ':put [/system reboot]',
      '/import x',
      ':put $x',
      '/system scheduler add on-event="/system reboot"',
    ];
  if (SROS.includes(type))
    return ['/admin reboot', '\\admin reboot', '//admin reboot', 'reboot', `${look} > cf3:x`, 'bash reboot'];
  if (DISPLAY.includes(type))
    return [`${look} > x`, `${look} >> x`, '_hidecmd', `command-alias mapping reboot zz`];
  if (type === 'f5_tmsh') return ['run util bash', 'run /util bash -c reboot', 'cli script x'];
  return [`${look} > x`].filter(() => !ONE_COMMAND.includes(type));
}

/** Lines that a policy against restarts must not hold up. */
function harmless(type: string): string[] {
  const look = looks(type);
  if (type === 'cisco_apic' || SHELLS.includes(type))
    return [
      look,
      'uname -a',
      "echo 'a;b|c'",
      'ls -l /tmp',
      ...(type === 'linux' ? ['ls *.txt', 'ls | grep x'] : []),
    ];
  if (type === 'mikrotik_routeros') return [look, '/interface print', '/ip address print detail'];
  const filter =
    JUNOS.includes(type) || type === 'paloalto_panos' || SROS.includes(type) ? 'match' : 'include';
  const isGrep = ['fortinet', 'nokia_srl'].includes(type);
  const lines = [look, `${look.toUpperCase()}`, 'show interfaces description', 'ping 192.0.2.1'];
  if (type === 'cisco_wlc') return lines;
  lines.push(`${look} | ${isGrep ? 'grep' : filter} uptime`);
  if (['cisco_ios', 'cisco_xe'].includes(type))
    lines.push(
      'sh ip bgp | i *>',
      'show run | sec router',
      'show version ; x',
      'show run | inc ^interface|description$',
      '! remark',
    );
  if (JUNOS.includes(type))
    lines.push('show configuration | display set | no-more', 'show route | mat "a;b"');
  if (type === 'cisco_nxos')
    lines.push('show version ; show clock', 'show interface | egrep "up|down" | no-more', 'sh ver | inc NX');
  return lines;
}

const heardBy = new Map<string, { name: string; heard: string[] }>();
async function deviceOf(type: string) {
  const known = heardBy.get(type);
  if (known) return known;
  const { name, simulated } = await device(type);
  const one = { name, heard: simulated.heard };
  heardBy.set(type, one);
  counts.drivers += 1;
  return one;
}

const TYPES = SCRIPTS.map(({ device_type }) => device_type);
const RESTARTS = [
  'reload',
  'reboot',
  'system reboot',
  'request system reboot',
  'execute reboot',
  'admin reboot',
];

/** As many faults as a denial names. */
const NAMED = 3;

/**
 * Returns which of the lines are not denied on a device, each with the status of its answer. Lines are sent together as far as
 * the denial names each of them, and otherwise alone.
 *
 * @param before a command that is sent before them, and allowed
 */
async function passingOf(device: string, type: string, lines: readonly string[], before: string[] = []) {
  const sent = (commands: readonly string[]) => run(device, [...before, ...commands], { device_type: type });
  const passed: string[] = [];
  for (let at = 0; at < lines.length; at += NAMED) {
    const together = lines.slice(at, at + NAMED);
    const { status, text } = await sent(together);
    const isNamed = (_: string, index: number) => text.includes(`command ${before.length + index + 1}: `);
    if (status === 403 && together.every(isNamed)) continue;
    for (const line of together) {
      const alone = await sent([line]);
      if (alone.status !== 403 && alone.status !== 400)
        passed.push(`${JSON.stringify(line)} ${alone.status}`);
    }
  }
  counts.hostile += lines.length;
  return passed;
}

const policy = (name: string, lists: Record<string, unknown>) =>
  done('POST', '/command_policies', { policy: { name, ...lists } });

test.each(TYPES)(
  'a device of kind %s hears nothing that a policy against restarts denies, and all else',
  async (type) => {
    const { name, heard } = await deviceOf(type);
    await policy(`no restarts ${type}`, { device_types: [type], deny: RESTARTS });
    expect(await passingOf(name, type, [...new Set(disguised(type))])).toEqual([]);
    expect(heard).toEqual([]);
    const rejected: string[] = [];
    const lines = harmless(type);
    const answer = await run(name, lines, { device_type: type });
    if (answer.status !== 200) rejected.push(answer.text);
    expect(rejected).toEqual([]);
    for (const line of lines) expect(heard).toContain(line.trim());
    counts.benign += lines.length;
    await done('DELETE', `/command_policies/${encodeURIComponent(`no restarts ${type}`)}`);
  },
);

test.each(TYPES)('a device of kind %s hears only what a policy that lists commands allows', async (type) => {
  const { name, heard } = await deviceOf(type);
  await policy(`only looks ${type}`, { device_types: [type], allow: ['show', 'display', 'uname'] });
  const before = heard.length;
  const look = looks(type);
  // Whatever begins with another word is denied for that: a third of those lines, others for each kind of device.
  const place = TYPES.indexOf(type);
  const lines = new Set([
    ...disguised(type).filter((line, at) => line.includes(look) || at % 3 === place % 3),
    ...[
      'configure terminal',
      'conf t',
      'write memory',
      'delete flash:x',
      'copy a b',
      's version',
      'x',
      'ssh root@h',
    ],
    ...(SHELLS.includes(type)
      ? [`${look} ; id`, `${look} | id`, `${look} > x`, 'SHOW version', `sudo ${look}`]
      : []),
  ]);
  expect(await passingOf(name, type, [...lines], [look])).toEqual([]);
  expect(heard.length).toBe(before);
  expect((await run(name, [look], { device_type: type })).status).toBe(200);
  counts.benign += 1;
  await done('DELETE', `/command_policies/${encodeURIComponent(`only looks ${type}`)}`);
});

test('the corpus covers every kind of device that is tried, with at least 300 hostile lines', () => {
  expect(counts.drivers).toBe(TYPES.length);
  expect(counts.hostile).toBeGreaterThanOrEqual(300);
});
