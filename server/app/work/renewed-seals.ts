import type { Database } from '#db/client.ts';
import { beginRenewal, isRenewing } from '#server/domains/operations/secrets/key-renewal.service.ts';
import { ConfigError } from '#server/kernel/config.ts';
import type { Vault } from '#server/kernel/secrets/vault.ts';
import { SEALED_COLUMNS, sealedPage } from './sealed-columns.ts';

/** Rows that are read at once to find out whether their secrets open. */
const PAGE = 1000;

/**
 * Verifies that the previous key is set as long as stored secrets need it.
 *
 * @param isNew whether this is the first process with the current key: a renewal of what another key has sealed then begins
 * @throws ConfigError when there is no previous key, a renewal has not ended, and a secret does not open
 */
export async function assertRenewed(db: Database, vault: Vault, isNew: boolean): Promise<void> {
  if (vault.derivePrevious('') !== null) {
    if (isNew) await beginRenewal(db, vault);
    return;
  }
  const lost = (await isRenewing(db, vault)) ? await countUnopened(db, vault) : 0;
  if (lost > 0)
    throw new ConfigError(
      `SECRET_KEY_PREVIOUS is still needed: SECRET_KEY does not open ${lost} of the stored secrets; start with the previous key until GET /secrets/key_renewal is complete`,
    );
}

/** Returns how many stored secrets this key does not open. */
async function countUnopened(db: Database, vault: Vault): Promise<number> {
  let count = 0;
  const opening: Vault = {
    ...vault,
    renew: (sealed, place) => {
      try {
        vault.open(sealed, place);
      } catch {
        count += 1;
      }
      return sealed;
    },
  };
  for (const source of SEALED_COLUMNS) {
    let page = await sealedPage(db, source, '', PAGE);
    for (;;) {
      for (const { place, content } of page) source.renewed(opening, place, content);
      const last = page.length < PAGE ? undefined : page.at(-1);
      if (!last) break;
      page = await sealedPage(db, source, last.id, PAGE);
    }
  }
  return count;
}
