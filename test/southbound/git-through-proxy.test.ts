import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openGit } from '#server/southbound/git/git.ts';
import { openOutboundProxy } from '#server/southbound/http/outbound-proxy.ts';
import { missingForGit, openRepository, serveHttp } from '../helpers/git/repositories.ts';
import { openProxy, PROXY_CREDENTIALS } from '../helpers/http/outbound-proxy.ts';
import { openAuthority } from '../lab/certificates.ts';

const NAME = 'git.example.net';
const folder = mkdtempSync(join(tmpdir(), 'switchyard-proxied-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.skipIf(missingForGit.length > 0)(
  'a repository over HTTPS is read and written through the proxy of the organisation',
  async () => {
    const repository = openRepository();
    await repository.opened;
    await repository.change({ 'a.cfg': 'hostname a\n' });
    const authority = openAuthority();
    const served = await serveHttp(
      join(repository.bare, '..'),
      'robot',
      'secret',
      authority.issue({ names: [NAME] }),
    );
    const proxy = await openProxy();
    afterAll(proxy.close);
    const place = `${NAME}:${new URL(served).port}`;
    const git = openGit({
      allowPrivateTargets: true,
      findProxy: openOutboundProxy({
        url: new URL(`http://${PROXY_CREDENTIALS}@127.0.0.1:${proxy.port}`),
        except: [],
      }),
    });
    const target = {
      url: `https://${place}/config.git`,
      repository: `https://${place}/config.git`,
      ca: authority.ca,
      username: 'robot',
      token: 'secret',
      hostKeys: [],
    };
    const request = {
      target,
      branch: 'main',
      folder: join(folder, 'copy'),
      signal: AbortSignal.timeout(20_000),
    };
    const pushed = await git.use(request, async (copy) => {
      expect((await copy.list('')).files.map(({ path }) => path)).toEqual(['a.cfg']);
      const author = { name: 'Robot', email: 'robot@example.net' };
      await copy.commit([
        { message: 'add b', author, time: 1_700_000_000_000, files: new Map([['b.cfg', 'hostname b\n']]) },
      ]);
      return copy.push('main');
    });
    expect(pushed).toBe(true);
    expect(await repository.paths()).toEqual(['a.cfg', 'b.cfg']);
    expect(new Set(proxy.seen)).toEqual(new Set([`CONNECT ${place}`]));
  },
);
