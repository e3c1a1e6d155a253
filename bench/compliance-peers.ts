import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Python with the two peers, netutils and hier_config, which process the same texts. PEERS_PYTHON names one that has them
 * (`python3 -m venv peers && peers/bin/pip install netutils hier_config`); default: python3.
 */
const PYTHON = process.env.PEERS_PYTHON ?? 'python3';

/** CPU milliseconds per device, the version of the peer, and its result for each device. */
export type Measured = { ms: number; version: string; results: unknown[] };

const NETUTILS = `
import glob, json, sys, time
from importlib.metadata import version
from netutils.config.compliance import compliance
folder = sys.argv[1]
features = [{"name": f, "ordered": False, "section": [f]} for f in json.loads(sys.argv[2])]
files = sorted(glob.glob(folder + "/device*.txt"))
results = []
begun = time.process_time()
for name in files:
    results.append(compliance(features, name, folder + "/intended.txt", "cisco_ios"))
used = (time.process_time() - begun) * 1000 / len(files)
print(json.dumps({"ms": used, "version": version("netutils"), "results": results}))
`;

const HIER_CONFIG = `
import glob, json, sys, time
from importlib.metadata import version
from hier_config import Platform, WorkflowRemediation, get_hconfig
folder = sys.argv[1]
files = sorted(glob.glob(folder + "/device*.txt"))
texts = [open(name).read() for name in files]
intended = open(folder + "/intended.txt").read()
results = []
begun = time.process_time()
for text in texts:
    flow = WorkflowRemediation(get_hconfig(Platform.CISCO_IOS, text), get_hconfig(Platform.CISCO_IOS, intended))
    results.append([line.cisco_style_text() for line in flow.remediation_config.all_children_sorted()])
used = (time.process_time() - begun) * 1000 / len(files)
print(json.dumps({"ms": used, "version": version("hier-config"), "results": results}))
`;

/** Measures netutils' compliance of each text; returns undefined where netutils is not installed. */
export const netutils = (
  texts: readonly string[],
  intended: string,
  features: readonly string[],
): Promise<Measured | undefined> => measured(NETUTILS, texts, intended, JSON.stringify(features));

/** Measures hier_config's remediation of each text; returns undefined where hier_config is not installed. */
export const hierConfig = (texts: readonly string[], intended: string): Promise<Measured | undefined> =>
  measured(HIER_CONFIG, texts, intended);

async function measured(
  program: string,
  texts: readonly string[],
  intended: string,
  ...more: string[]
): Promise<Measured | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-peers-'));
  try {
    await writeFile(join(folder, 'intended.txt'), intended);
    for (const [n, text] of texts.entries()) {
      await writeFile(join(folder, `device${String(n).padStart(5, '0')}.txt`), text);
    }
    const { stdout } = await promisify(execFile)(PYTHON, ['-c', program, folder, ...more], {
      maxBuffer: 512 * 1024 * 1024,
    });
    return JSON.parse(stdout) as Measured;
  } catch (error) {
    if (process.env.PEERS_PYTHON) throw error;
    return undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
