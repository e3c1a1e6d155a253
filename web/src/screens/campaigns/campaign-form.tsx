import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api, type Inputs, type Outputs, trpc } from '~/api/client.ts';
import { campaignPath } from '~/app/paths.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Checkbox, TextField } from '~/ui/fields.tsx';
import { TextFields } from '~/ui/form/text-fields.tsx';
import { useDraft } from '~/ui/form/use-draft.ts';
import { CheckList } from '~/ui/inputs/check-list.tsx';
import { wordsIn } from '~/ui/inputs/lines.ts';
import { SelectField } from '~/ui/inputs/select-field.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import type { TimeWindow } from '~/ui/schedule/schedule-draft.ts';
import { TimeZoneField } from '~/ui/schedule/schedule-field.tsx';
import { WindowsField } from '~/ui/schedule/windows-field.tsx';
import { devicesText, SelectionField } from '~/ui/selection/selection-field.tsx';
import { useSelection } from '~/ui/selection/use-selection.ts';

type NewCampaign = Inputs['configurationManager']['createCampaign'];
type Severity = NonNullable<NewCampaign['severities']>[number];

const SEVERITIES: readonly Severity[] = ['error', 'warning', 'info'];

type CampaignFormProps = {
  /** A campaign whose settings the form opens with, and the devices that it has not changed. */
  rest?: { campaign: Outputs['configurationManager']['getCampaign']; devices: readonly string[] };
  onClose: () => void;
};

const startOf = (campaign: NonNullable<CampaignFormProps['rest']>['campaign'] | undefined) => ({
  name: campaign ? `${campaign.name}, remaining devices` : '',
  treeId: campaign?.treeId ?? '',
  severities: new Set<string>(campaign?.severities),
  isRemoving: campaign?.removeDisallowed ?? false,
  waves: (campaign?.waves ?? [1, 10, 100]).join(', '),
  concurrency: String(campaign?.concurrency ?? 5),
  pauseMinutes: String(campaign?.pauseMinutes ?? 0),
  stopAfter: String(campaign?.stopAfter ?? 1),
  windows: (campaign?.windows ?? []) as readonly TimeWindow[],
  timeZone: campaign?.timeZone ?? '',
});

/** Creates a campaign; nothing reaches a device before it is approved and started. */
export function CampaignForm({ rest, onClose }: CampaignFormProps) {
  const navigate = useNavigate();
  const refresh = useRefresh(trpc.configurationManager.listCampaigns.pathFilter());
  const trees = useQuery(trpc.configurationManager.listTrees.queryOptions({}));
  const state = useSelection(rest && { names: [...rest.devices] });
  const [draft, change] = useDraft(() => startOf(rest?.campaign));
  const treeId = draft.treeId || (trees.data?.[0]?.id ?? '');
  const { selection } = state;
  return (
    <FormDialog
      title="Create campaign"
      action={`Make proposals for ${devicesText(state.count)}`}
      size="wide"
      isOpen
      onClose={onClose}
      isReady={draft.name.trim() !== '' && treeId !== '' && state.isReady}
      onSubmit={async () => {
        if (!selection) return;
        const severities = SEVERITIES.filter((severity) => draft.severities.has(severity));
        const { id } = await api.configurationManager.createCampaign.mutate({
          name: draft.name.trim(),
          treeId,
          selection,
          ...(severities.length > 0 && { severities }),
          ...(rest?.campaign.types && { types: rest.campaign.types }),
          removeDisallowed: draft.isRemoving,
          waves: wordsIn(draft.waves.replaceAll(' ', ',')).map(Number),
          concurrency: Number(draft.concurrency),
          pauseMinutes: Number(draft.pauseMinutes),
          stopAfter: Number(draft.stopAfter),
          windows: [...draft.windows],
          ...(draft.timeZone && { timeZone: draft.timeZone }),
        });
        await refresh();
        await navigate(campaignPath(id));
      }}
    >
      <p className="muted">
        Of the selected devices, those with issues in their newest report get a proposal. Nothing is sent to a
        device before a second person has approved the campaign and an administrator has started it.
      </p>
      <div className="columns narrow">
        <TextField
          label="Name"
          value={draft.name}
          onChange={(name) => change({ name })}
          isRequired
          autoFocus
        />
        <SelectField
          label="Golden config"
          from={trees}
          value={treeId}
          onChange={(id) => change({ treeId: id })}
          choices={(trees.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        />
      </div>
      <SelectionField state={state} />
      <CheckList
        label="Severities (none selected: all)"
        items={SEVERITIES.map((severity) => ({ id: severity, name: severity }))}
        chosen={draft.severities}
        onChange={(severities) => change({ severities })}
      />
      <Checkbox
        label="Remove disallowed lines as well"
        isChecked={draft.isRemoving}
        onChange={(isRemoving) => change({ isRemoving })}
      />
      <TextFields
        draft={draft}
        onChange={change}
        fields={[
          { key: 'waves', label: 'Devices of each wave', hint: 'The last number applies to all later waves' },
          { key: 'stopAfter', label: 'Stop after failed devices', type: 'number', min: 1 },
          { key: 'pauseMinutes', label: 'Minutes between waves', type: 'number', min: 0 },
          { key: 'concurrency', label: 'Devices in parallel', type: 'number', min: 1, max: 20 },
        ]}
      />
      <WindowsField
        label="Maintenance windows"
        hint="Waves begin only within them; none: at any time."
        windows={draft.windows}
        onChange={(windows) => change({ windows })}
      />
      {draft.windows.length > 0 && (
        <TimeZoneField value={draft.timeZone} onChange={(timeZone) => change({ timeZone })} />
      )}
    </FormDialog>
  );
}
