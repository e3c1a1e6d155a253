import type { Inputs } from '~/api/client.ts';
import { Checkbox, TextField } from '~/ui/fields.tsx';
import { TextFields } from '~/ui/form/text-fields.tsx';
import type { TimeWindow } from '~/ui/schedule/schedule-draft.ts';
import { TimeZoneField } from '~/ui/schedule/schedule-field.tsx';
import { WindowsField } from '~/ui/schedule/windows-field.tsx';

type Order = Omit<Inputs['configurationManager']['startFleetBackup'], 'selection'>;

/** How devices are backed up, while it is edited; empty numbers: those of the service. */
export type OrderDraft = {
  concurrency: string;
  retries: string;
  retryAfterSeconds: string;
  isOnlyChanged: boolean;
  windows: readonly TimeWindow[];
  timeZone: string;
  description: string;
};

const text = (number: number | undefined) => (number === undefined ? '' : String(number));

/** Returns what the form shows of an order. */
export const orderDraftOf = (order: Order = {}): OrderDraft => ({
  concurrency: text(order.concurrency),
  retries: text(order.retries),
  retryAfterSeconds: text(order.retryAfterSeconds),
  isOnlyChanged: order.onlyChanged ?? true,
  windows: order.windows ?? [],
  timeZone: order.timeZone ?? '',
  description: order.description ?? '',
});

/** Returns the order of a form. */
export const orderOf = (draft: OrderDraft): Order => ({
  ...(draft.concurrency && { concurrency: Number(draft.concurrency) }),
  ...(draft.retries && { retries: Number(draft.retries) }),
  ...(draft.retryAfterSeconds && { retryAfterSeconds: Number(draft.retryAfterSeconds) }),
  onlyChanged: draft.isOnlyChanged,
  windows: [...draft.windows],
  ...(draft.timeZone && { timeZone: draft.timeZone }),
  description: draft.description,
});

type OrderFieldsProps = { draft: OrderDraft; onChange: (change: Partial<OrderDraft>) => void };

/** How devices are backed up: at once, retries, windows. */
export function OrderFields({ draft, onChange }: OrderFieldsProps) {
  return (
    <details>
      <summary>Retries, windows and more</summary>
      <div className="column">
        <TextFields
          draft={draft}
          onChange={onChange}
          fields={[
            {
              key: 'concurrency',
              label: 'Devices in parallel',
              hint: 'Default: 20',
              type: 'number',
              min: 1,
              max: 100,
            },
            { key: 'retries', label: 'Retries', hint: 'Default: 1', type: 'number', min: 0, max: 5 },
            {
              key: 'retryAfterSeconds',
              label: 'Seconds between attempts',
              hint: 'Default: 30',
              type: 'number',
              min: 1,
              max: 3600,
            },
          ]}
        />
        <Checkbox
          label="Store a configuration only when it changed"
          isChecked={draft.isOnlyChanged}
          onChange={(isOnlyChanged) => onChange({ isOnlyChanged })}
        />
        <TextField
          label="Description of the backups"
          value={draft.description}
          onChange={(description) => onChange({ description })}
        />
        <WindowsField
          label="Maintenance windows"
          hint="Devices are read only within them; none: at any time."
          windows={draft.windows}
          onChange={(windows) => onChange({ windows })}
        />
        {draft.windows.length > 0 && (
          <TimeZoneField value={draft.timeZone} onChange={(timeZone) => onChange({ timeZone })} />
        )}
      </div>
    </details>
  );
}
