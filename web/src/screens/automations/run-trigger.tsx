import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api, trpc } from '~/api/client.ts';
import { jobPath } from '~/app/paths.ts';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { InputFields, useInputValues } from './input-values.tsx';
import type { Trigger } from './trigger-state.tsx';

/** Starts the automation of a trigger: with its form, with the body of a call, or as its schedule would. */
export function RunTrigger({ trigger, onClose }: { trigger: Trigger; onClose: () => void }) {
  const navigate = useNavigate();
  const { type } = trigger;
  const formId = type === 'manual' ? (trigger.formId ?? '') : '';
  const form = useQuery({
    ...trpc.jsonForms.getForm.queryOptions({ id: formId }),
    enabled: formId !== '',
  });
  const input = useInputValues(
    {
      schema: type === 'endpoint' ? trigger.schema : form.data?.schema,
      uiSchema: form.data?.uiSchema,
    },
    type === 'manual' ? (trigger.formData ?? {}) : {},
  );
  const run = async () => {
    await input.check();
    const values = input.values ?? {};
    const id = trigger._id;
    const { data: job } =
      trigger.type === 'endpoint'
        ? await api.operationsManager.runEndpointTrigger.mutate({
            routeName: trigger.routeName,
            endpointBody: values,
          })
        : trigger.type === 'schedule'
          ? await api.operationsManager.runScheduleTrigger.mutate({ id })
          : await api.operationsManager.runManualTrigger.mutate({ id, formData: values });
    void navigate(jobPath(job._id));
  };
  return (
    <FormDialog
      title={`Run ${trigger.name}`}
      action={type === 'endpoint' ? 'Call' : 'Run'}
      isOpen
      onClose={onClose}
      onSubmit={run}
      isReady={input.values !== undefined && (formId === '' || !form.isPending)}
    >
      {type === 'schedule' ? (
        <p>The job starts now; the next scheduled run stays as it is.</p>
      ) : (
        <InputFields state={input} label={type === 'endpoint' ? 'Body' : 'Input values'} />
      )}
    </FormDialog>
  );
}
