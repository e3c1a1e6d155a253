import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { problemOf } from '~/api/problem.ts';
import { useMay } from '~/api/use-may.ts';
import { useSettled } from '~/api/use-settled.ts';
import { Button } from '~/ui/button.tsx';
import { TextView } from '~/ui/code/text-view.tsx';
import { JsonField, jsonText } from '~/ui/form/json-field.tsx';
import { parseObject } from '~/ui/form/parse-object.ts';
import { useDraft } from '~/ui/form/use-draft.ts';
import { CompletedField } from '~/ui/inputs/completed-field.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { ProblemNote } from '~/ui/states.tsx';
import type { DeviceTemplate } from './device-templates-page.tsx';

type Rendered = Outputs['configurationManager']['applyDeviceTemplate'] & { device: string };

/** Names that are offered while one is typed. */
const OFFERED = 20;

const linesText = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'line' : 'lines'}`;

/** Renders a template for one device and shows the lines; these, and no others, can then be sent to it. */
export function RenderTemplate({ template, onClose }: { template: DeviceTemplate; onClose: () => void }) {
  const may = useMay();
  const [draft, change] = useDraft({ device: '', variables: jsonText(template.variables) });
  const [rendered, setRendered] = useState<Rendered>();
  const device = draft.device.trim();
  const variables = parseObject(draft.variables).value;
  const edit = (part: Partial<typeof draft>) => {
    // The lines that are shown were rendered with other values.
    setRendered(undefined);
    change(part);
  };
  return (
    <FormDialog
      title={`Render ${template.name}`}
      action="Render"
      size="wide"
      isOpen
      staysOpen
      onClose={onClose}
      isReady={device !== '' && variables !== undefined}
      onSubmit={async () => {
        const outcome = await api.configurationManager.applyDeviceTemplate.mutate({
          deviceName: device,
          templateId: template.id,
          options: { variables, dryRun: true },
        });
        setRendered({ ...outcome, device });
      }}
    >
      <DeviceField value={draft.device} onChange={(text) => edit({ device: text })} />
      <JsonField
        label="Variables"
        hint="As JSON; they override those of the template for this device"
        rows={4}
        text={draft.variables}
        onChange={(text) => edit({ variables: text })}
      />
      {rendered && (
        <>
          <p role="status">{rendered.result.map(({ value }) => value).join(' ')}.</p>
          <TextView
            label="Rendered lines"
            text={linesOf(rendered).join('\n')}
            fileName={`${rendered.device}.txt`}
          />
          {may('configurationManager.pushDeviceConfiguration') && (
            <SendLines rendered={rendered} onSent={onClose} />
          )}
        </>
      )}
    </FormDialog>
  );
}

const linesOf = ({ commands }: Rendered) => commands.map(({ line }) => line);

/** Sends lines that are shown. A button of its own: what renders them, such as Enter, never sends any. */
function SendLines({ rendered, onSent }: { rendered: Rendered; onSent: () => void }) {
  const { device } = rendered;
  const lines = linesOf(rendered);
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<unknown>();
  const send = async () => {
    setPending(true);
    setError(undefined);
    try {
      const { message } = await api.configurationManager.pushDeviceConfiguration.mutate({
        deviceName: device,
        config: { device, config: lines.join('\n') },
      });
      showToast(message);
      onSent();
    } catch (failure) {
      setError(failure);
    } finally {
      setPending(false);
    }
  };
  return (
    <>
      {error !== undefined && <ProblemNote problem={problemOf(error)} />}
      <div className="row">
        <Button variant="danger" onPress={() => void send()} isPending={isPending}>
          Send {linesText(lines.length)} to {device}
        </Button>
        <span className="muted">
          Backs up the device first, then sends these lines one by one until one is rejected.
        </span>
      </div>
    </>
  );
}

/** The name of a device; those that contain what is typed are offered. */
function DeviceField({ value, onChange }: { value: string; onChange: (name: string) => void }) {
  const sought = useSettled(value.trim());
  const found = useQuery(
    trpc.configurationManager.searchDevices.queryOptions({
      options: { ...(sought && { filter: { name: sought } }), limit: OFFERED },
    }),
  );
  return (
    <CompletedField
      label="Device"
      hint="Nothing is sent to it before you have seen the lines"
      value={value}
      onChange={onChange}
      completions={found.data?.list.map(({ name }) => name)}
      from={found}
      autoComplete="off"
      isRequired
      autoFocus
    />
  );
}
