import { useState } from 'react';
import { api, type Inputs, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Badge } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { DocumentDialog } from '~/ui/form/document-dialog.tsx';
import { NamedList } from '~/ui/named-list.tsx';
import { ConfirmDialog, Dialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { PathLink } from '~/ui/page.tsx';
import { saveFile } from '~/ui/table/csv.ts';
import type { Column } from '~/ui/table/data-table.tsx';
import { Time } from '~/ui/time.tsx';
import { nameText } from '~/ui/visible-text.ts';
import { ParserForm } from './parser-form.tsx';
import { TryParser } from './try-parser.tsx';

export type Parser = Outputs['configurationManager']['searchParsers']['list'][number];
type Imported = Inputs['configurationManager']['importParsers']['parsers'][number];
type OpenDialog = { kind: 'import' } | { kind: 'try' | 'edit' | 'delete'; parser: Parser };

const COLUMNS: Column<Parser>[] = [
  { key: 'name', header: 'Name', sortField: 'name', cell: ({ name }) => nameText(name), field: 'name' },
  {
    key: 'origin',
    header: 'Origin',
    cell: ({ builtin }) => (builtin ? <Badge>built in</Badge> : <Badge tone="info">own</Badge>),
    field: 'builtin:Built in',
  },
  {
    key: 'template',
    header: 'Based on',
    cell: ({ template, builtin }) => (builtin ? '' : (template ?? '')),
    field: 'template',
  },
  {
    key: 'rules',
    header: 'Rules',
    isNumber: true,
    cell: ({ lexRules = [] }) => lexRules.length,
    field: 'lexRules.length:Rules',
  },
  {
    key: 'changed',
    header: 'Changed',
    sortField: 'date',
    cell: ({ updated, builtin }) => !builtin && <Time value={updated} />,
    field: 'updated',
  },
];

const save = (parser: Parser) =>
  saveFile(`${parser.name}.parser.json`, JSON.stringify(parser, null, 2), 'application/json');

/** The config parsers, which split configurations into lines and words: those built in, and those based on them. */
export function ParsersPage() {
  const may = useMay();
  const { searchParsers, listParsers } = trpc.configurationManager;
  const refresh = useRefresh(searchParsers.pathFilter(), listParsers.pathFilter());
  const [opened, setOpened] = useState<OpenDialog>();
  const close = () => setOpened(undefined);
  const open = (kind: 'try' | 'edit' | 'delete', parser: Parser) => () => setOpened({ kind, parser });
  return (
    <>
      <NamedList
        title="Config parsers"
        pathTo={<PathLink to="/trees">Golden configs</PathLink>}
        columns={COLUMNS}
        rowKey={({ name }) => name}
        nameOf={({ name }) => nameText(name)}
        procedure={searchParsers}
        read={async ({ skip, limit, ...query }) => {
          const request = requestOf(query);
          const { list, total } = await api.configurationManager.searchParsers.query({
            ...request,
            options: { ...request.options, start: skip, limit },
          });
          return { results: list, total };
        }}
        request={requestOf}
        defaultSort={{ field: 'name', order: 1 }}
        empty={{ title: 'There is no config parser', text: 'Every platform has one that is built in.' }}
        actions={
          may('configurationManager.importParsers') && (
            <Button onPress={() => setOpened({ kind: 'import' })}>Import</Button>
          )
        }
        create={{
          label: 'Create parser',
          needs: 'configurationManager.createParser',
          dialog: (onClose) => <ParserForm onClose={onClose} onDone={refresh} />,
        }}
        actionsOf={(parser) => [
          { label: 'Try', needs: 'configurationManager.testParser', onAction: open('try', parser) },
          ...(parser.builtin
            ? []
            : ([
                {
                  label: 'Change',
                  needs: 'configurationManager.updateParser',
                  onAction: open('edit', parser),
                },
              ] as const)),
          {
            label: 'Export',
            needs: 'configurationManager.searchParsers',
            onAction: () => save(parser),
          },
          ...(parser.builtin
            ? []
            : ([
                {
                  label: 'Delete',
                  needs: 'configurationManager.deleteParser',
                  onAction: open('delete', parser),
                },
              ] as const)),
        ]}
      />
      {opened?.kind === 'import' && (
        <DocumentDialog
          title="Import config parser"
          action="Import parser"
          onClose={close}
          onSubmit={async (document) => {
            const { message } = await api.configurationManager.importParsers.mutate({
              parsers: [document as Imported],
            });
            await refresh();
            showToast(message);
          }}
        >
          <p className="muted">A parser whose name is taken gets another one.</p>
        </DocumentDialog>
      )}
      {opened?.kind === 'try' && (
        <Dialog title={`Try ${nameText(opened.parser.name)}`} size="wide" isOpen onClose={close}>
          <TryParser source={{ name: opened.parser.name }} />
          <div className="dialog-actions">
            <Button onPress={close}>Close</Button>
          </div>
        </Dialog>
      )}
      {opened?.kind === 'edit' && <ParserForm parser={opened.parser} onClose={close} onDone={refresh} />}
      {opened?.kind === 'delete' && (
        <ConfirmDialog
          action="Delete parser"
          onClose={close}
          onConfirm={async () => {
            await api.configurationManager.deleteParser.mutate({ name: opened.parser.name });
            await refresh();
          }}
        >
          The parser “{nameText(opened.parser.name)}” is deleted; backups and reports stay. One that a golden
          config uses cannot be deleted.
        </ConfirmDialog>
      )}
    </>
  );
}

type Query = { contains?: Record<string, string>; sort?: string; order?: 1 | -1 };

/** Returns the search of the list in the form of its procedure. */
const requestOf = ({ contains, sort, order }: Query) => ({
  ...(contains && { filter: { name: contains.name } }),
  ...((sort === 'name' || sort === 'date') && { options: { sort: { [sort]: order ?? 1 } } }),
});
