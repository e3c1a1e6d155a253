import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { api, type Inputs, type Outputs, trpc } from '~/api/client.ts';
import { devicePath } from '~/app/paths.ts';
import { type UrlState, useUrlState } from '~/app/url-state.ts';
import { Button } from '~/ui/button.tsx';
import { Checkbox, TextField } from '~/ui/fields.tsx';
import { useDraft } from '~/ui/form/use-draft.ts';
import { wordsIn } from '~/ui/inputs/lines.ts';
import { SelectField } from '~/ui/inputs/select-field.tsx';
import { showProblem } from '~/ui/overlays/toast.tsx';
import { Empty } from '~/ui/states.tsx';
import { saveFile } from '~/ui/table/csv.ts';
import type { Column } from '~/ui/table/data-table.tsx';
import { ListView } from '~/ui/table/list-page.tsx';

type Find = Inputs['configurationManager']['findInBackupsAsCsv'];
type Hit = Outputs['configurationManager']['findInBackups']['hits'][number];

const COLUMNS: Column<Hit>[] = [
  {
    key: 'device',
    header: 'Device',
    width: '16rem',
    cell: ({ device }) => (
      <Link {...devicePath(device)} search={{ tab: 'backups' }}>
        {device}
      </Link>
    ),
  },
  { key: 'line', header: 'Line', isNumber: true, width: '6rem', cell: ({ line }) => line },
  { key: 'text', header: 'Text', wraps: true, cell: ({ text }) => <code>{text}</code> },
];

/** Returns the search of an address; undefined without one. */
function findOf({ find, as, case: ignoreCase, platforms, all }: UrlState): Find | undefined {
  if (!find) return undefined;
  const parsers = wordsIn(platforms ?? '');
  return {
    ...(as === 'regex' ? { regex: find } : { text: find }),
    ...(ignoreCase === 'ignore' && { ignoreCase: true }),
    ...(parsers.length > 0 && { platforms: parsers }),
    ...(all === 'yes' && { latestOnly: false }),
  };
}

/** Searches for lines in the configurations of all devices; the search is kept in the address. */
export function FindInBackups() {
  const [url] = useUrlState();
  const find = findOf(url);
  return (
    <>
      <SearchForm />
      {find ? (
        <ListView
          title="Lines that match"
          columns={COLUMNS}
          rowKey={({ backupId, line }) => `${backupId} ${line}`}
          path={trpc.configurationManager.findInBackups.pathKey()}
          input={find}
          read={async (start, limit) => {
            const { hits, total } = await api.configurationManager.findInBackups.query({
              ...find,
              start,
              limit,
            });
            return { rows: hits, total };
          }}
          hasTextFilter={false}
          filters={<HitsAsCsv find={find} />}
          empty={<Empty title="No line matches" />}
        />
      ) : (
        <Empty title="Search in the configurations of all devices">
          <p>
            Enter a text such as ntp server, or a regular expression. The newest backup of each device is
            read.
          </p>
        </Empty>
      )}
    </>
  );
}

function SearchForm() {
  const [url, setUrl] = useUrlState();
  const [draft, change] = useDraft({
    find: url.find ?? '',
    as: url.as === 'regex' ? 'regex' : 'text',
    platforms: url.platforms ?? '',
    isCaseIgnored: url.case === 'ignore',
    isAll: url.all === 'yes',
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setUrl({
      find: draft.find || undefined,
      as: draft.as === 'regex' ? 'regex' : undefined,
      case: draft.isCaseIgnored ? 'ignore' : undefined,
      platforms: draft.platforms || undefined,
      all: draft.isAll ? 'yes' : undefined,
    });
  };
  return (
    <search>
      <form className="card" onSubmit={submit}>
        <div className="columns narrow">
          <TextField label="Search for" value={draft.find} onChange={(find) => change({ find })} isRequired />
          <SelectField
            label="As"
            value={draft.as}
            onChange={(as) => change({ as })}
            choices={[
              { value: 'text', label: 'Text in a line' },
              { value: 'regex', label: 'Regular expression (RE2)' },
            ]}
          />
          <TextField
            label="Platforms"
            hint="Config parsers, separated by commas; empty: all"
            value={draft.platforms}
            onChange={(platforms) => change({ platforms })}
          />
        </div>
        <div className="row">
          <Checkbox
            label="Ignore case"
            isChecked={draft.isCaseIgnored}
            onChange={(isCaseIgnored) => change({ isCaseIgnored })}
          />
          <Checkbox
            label="Include older backups"
            isChecked={draft.isAll}
            onChange={(isAll) => change({ isAll })}
          />
          <Button type="submit" variant="primary" isDisabled={draft.find === ''}>
            Search
          </Button>
        </div>
      </form>
    </search>
  );
}

/** Saves all hits in one file, which the service writes. */
function HitsAsCsv({ find }: { find: Find }) {
  const [isPending, setPending] = useState(false);
  const save = async () => {
    setPending(true);
    try {
      saveFile('lines.csv', await api.configurationManager.findInBackupsAsCsv.query(find));
    } catch (error) {
      showProblem(error);
    } finally {
      setPending(false);
    }
  };
  return (
    <Button onPress={save} isPending={isPending}>
      {isPending ? 'Writing …' : 'All hits as CSV'}
    </Button>
  );
}
