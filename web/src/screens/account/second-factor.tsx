import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Badge } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { Details } from '~/ui/details.tsx';
import { FormDialog } from '~/ui/dialog.tsx';
import { TextField } from '~/ui/fields.tsx';
import { QueryView } from '~/ui/states.tsx';
import { Time } from '~/ui/time.tsx';
import { showToast } from '~/ui/toast.tsx';
import { ConfirmCode } from './confirm-code.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

type Begun = Outputs['session']['startSecondFactor'];

/** The second factor of one's own account: one-time passwords of an authenticator. */
export function SecondFactor() {
  const status = useQuery(trpc.session.getSecondFactor.queryOptions({}));
  const [open, setOpen] = useState<'start' | 'disable'>();
  const [begun, setBegun] = useState<Begun>();
  const [codes, setCodes] = useState<readonly string[]>();
  const close = () => setOpen(undefined);
  return (
    <section className="card" aria-label="Second factor">
      <div className="row">
        <h2>Second factor</h2>
        {status.data &&
          (status.data.enabled ? (
            <Button variant="danger" onPress={() => setOpen('disable')}>
              Remove one-time passwords
            </Button>
          ) : (
            <Button onPress={() => setOpen('start')}>Set up one-time passwords</Button>
          ))}
      </div>
      <QueryView query={status} loading="Loading the second factor">
        {({ enabled, since, recoveryCodesLeft }) => (
          <Details
            entries={[
              [
                'State',
                <Badge key="state" tone={enabled ? 'good' : 'neutral'}>
                  {enabled ? 'signing in needs a code' : 'signing in needs the password alone'}
                </Badge>,
              ],
              ['Since', since && <Time key="since" value={since} />],
              ['Recovery codes left', enabled && String(recoveryCodesLeft)],
            ]}
          />
        )}
      </QueryView>
      {open === 'start' && <Start onClose={close} onBegun={setBegun} />}
      {open === 'disable' && <Disable onClose={close} />}
      {begun && <ConfirmCode begun={begun} onClose={() => setBegun(undefined)} onConfirmed={setCodes} />}
      {codes && <RecoveryCodes codes={codes} onClose={() => setCodes(undefined)} />}
    </section>
  );
}

function Start({ onClose, onBegun }: { onClose: () => void; onBegun: (begun: Begun) => void }) {
  const [password, setPassword] = useState('');
  return (
    <FormDialog
      title="Set up one-time passwords"
      action="Continue"
      isOpen
      onClose={onClose}
      isReady={password !== ''}
      onSubmit={async () => onBegun(await api.session.startSecondFactor.mutate({ password }))}
    >
      <p>An authenticator on your phone then shows a code that signing in needs besides the password.</p>
      <PasswordField value={password} onChange={setPassword} />
    </FormDialog>
  );
}

function Disable({ onClose }: { onClose: () => void }) {
  const refresh = useRefresh(trpc.session.getSecondFactor.pathFilter());
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  return (
    <FormDialog
      title="Remove one-time passwords"
      action="Remove one-time passwords"
      isDanger
      isOpen
      onClose={onClose}
      isReady={password !== '' && code.trim() !== ''}
      onSubmit={async () => {
        const { message } = await api.session.disableSecondFactor.mutate({ password, code: code.trim() });
        showToast(message);
        await refresh();
      }}
    >
      <PasswordField value={password} onChange={setPassword} />
      <TextField
        label="Code"
        hint="Of your authenticator, or one of your recovery codes"
        value={code}
        onChange={setCode}
        autoComplete="one-time-code"
        isRequired
      />
    </FormDialog>
  );
}

const PasswordField = ({ value, onChange }: { value: string; onChange: (value: string) => void }) => (
  <TextField
    label="Your password"
    type="password"
    value={value}
    onChange={onChange}
    autoComplete="current-password"
    isRequired
    autoFocus
  />
);
