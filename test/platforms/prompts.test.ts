import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DRIVERS } from '#server/platforms/index.ts';
import { compileDrivers } from '#server/southbound/cli/driver.ts';
import { learnPrompt } from '#server/southbound/cli/reading/prompt.ts';
import { PAGERS } from '#server/southbound/cli/reading/questions.ts';
import { openScreen } from '#server/southbound/cli/reading/screen.ts';
import { SCRIPTS } from '../lab/devices/scripts.ts';

const FOLDER = 'test/domains/golden-config/parsing/samples/';

/** Lines of the configurations of each platform. */
const LINES = new Map(
  readdirSync(FOLDER).map((file) => [file, readFileSync(`${FOLDER}${file}`, 'utf8').split('\n')] as const),
);

const linesOf = (ostype: string) =>
  [...LINES].flatMap(([file, lines]) => (ostype === '' || file.split('.')[0] === ostype ? lines : []));

const DEVICES = SCRIPTS.map((script) => {
  const driver = compileDrivers(DRIVERS).get(script.device_type);
  if (!driver) throw new Error(script.device_type);
  return { ...script, driver };
});

/** What a terminal shows of a text at the end of its output. */
function shown(text: string): string {
  const screen = openScreen(1000);
  screen.feed(Buffer.from(text));
  return screen.line();
}

test.each(DEVICES)(
  '$device_type: its prompts are recognised, and no line of a configuration is one',
  (device) => {
    const { driver, prompt, exec, motd = '' } = device;
    const line = shown(prompt.replace('%n', '1'));
    expect(driver.isPrompt(line)).toBe(true);
    const learned = learnPrompt(driver, line);
    expect(learned.is(line)).toBe(true);
    expect(learned.isHome(line)).toBe(true);
    if (exec) expect([driver.isPrompt(exec), driver.isUnprivileged(exec)]).toEqual([true, true]);
    const output = [...linesOf(driver.ostype), ...motd.split('\r\n'), ...device.version.split('\n')];
    expect(output.filter((one) => learned.is(one))).toEqual([]);
  },
);

test.each(DEVICES.filter(({ pager }) => pager))(
  '$device_type: its pager is turned off or answered',
  (device) => {
    const { driver, pager, off } = device;
    const line = shown(pager?.text ?? '');
    const isAnswered = [...driver.pagers, ...PAGERS].some(({ finds }) => finds(line));
    expect(isAnswered).toBe(true);
    if (off) expect(driver.prepare.some(({ send }) => off.test(send)) || off.test('')).toBe(true);
  },
);

test.each(DEVICES)(
  '$device_type: the line by which it rejects a command is recognised',
  ({ driver, invalid }) => {
    expect(invalid.split(/[\r\n]+/).some((line) => driver.isFailure(line))).toBe(true);
  },
);

test('a prompt with its name in parentheses is recognised by the name, in every mode', () => {
  const driver = DEVICES.find(({ device_type }) => device_type === 'broadcom_icos')?.driver;
  if (!driver) throw new Error('broadcom_icos');
  const { is } = learnPrompt(driver, '(icos-1) >');
  expect(['(icos-1) #', '(icos-1) (Config)#', '(icos-1)>'].filter((line) => !is(line))).toEqual([]);
  expect(['#', '>', ' #', '(icos-2) #'].filter(is)).toEqual([]);
});

test.each([
  ['aruba_os', '(wlc-1) [mynode] #', ['(wlc-1) ^[mynode] (config) #', '(wlc-1) *[mynode] (config) #']],
  ['aruba_os', '02:00:5e:00:53:01# ', ['02:00:5e:00:53:01 (config) # ']],
  [
    'cisco_xr',
    'RP/0/RSP0/CPU0:edge-router-with-a-long-name#',
    ['RP/0/RSP0/CPU0:edge-router-wit(config-bgp-nbr-af)#'],
  ],
  ['checkpoint_gaia', '[Global] gw-ch01-01 > ', ['[Expert@gw-ch01-01:0]# ']],
  ['ruckus_fastiron', 'SSH@ICX7150-48 Router#', ['SSH@ICX7150-48 Router(config-vlan-20)#']],
])('%s: a session that begins at %s recognises its other prompts', (name, first, others) => {
  const driver = compileDrivers(DRIVERS).get(name);
  if (!driver) throw new Error(name);
  expect(driver.isPrompt(first)).toBe(true);
  const { is } = learnPrompt(driver, first);
  expect([first, ...others].filter((line) => !is(line))).toEqual([]);
});

test.each(
  Object.entries({
    paloalto_panos: ['LAB\\ops@pa-1> ', 'ops@lab.example@pa-1(active)# '],
    extreme_exos: ['(CIT) x460.5 # ', '* Slot-1 VPEX sw.6 # ', '! * x460.1 # ', '* (pacman-mode) x460.4 #'],
    ruckus_fastiron: ['ICX7150-48 Router>', 'ICX7150-48 Router(config)#', 'SSH@ICX7150-24 Switch#'],
    huawei: ['<R1>', '[~R1]', '[*R1-bgp-af-ipv4]', 'HRP_M[FW1-policy-security]'],
    hp_comware: ['RBM_P<H3C>', '[H3C-acl-ipv4-adv-3000]'],
    fortinet: ['fw-1 (port1) # ', 'fw-1 (global) $ '],
  }),
)('%s: prompts of modes, roles and device names without a name are recognised', (name, prompts) => {
  const driver = compileDrivers(DRIVERS).get(name);
  expect(prompts.filter((prompt) => !driver?.isPrompt(shown(prompt)))).toEqual([]);
});

test.each([
  'Press Q to quit, Enter to print next line or any other key to print next page.',
  'Q-Quit, SPACE-next page, CR-next line',
  '\u001b[42D                                          \u001b[42D  ---- More ----',
  '\u001b[7m-- MORE --, next page: Space, next line: Enter, quit: q\u001b[m',
])('the pager %j is answered', (text) => {
  expect(PAGERS.some(({ finds }) => finds(shown(text)))).toBe(true);
});
