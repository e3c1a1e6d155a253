import { useMemo, useState } from 'react';
import { encode } from 'uqr';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { CopyButton } from '~/ui/copy-button.tsx';
import { TextField } from '~/ui/fields.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';

type ConfirmCodeProps = {
  begun: Outputs['session']['startSecondFactor'];
  onClose: () => void;
  onConfirmed: (recoveryCodes: readonly string[]) => void;
};

/** Shows the secret of an authenticator once, as a picture and as text; its first code puts it in force. */
export function ConfirmCode({ begun: { secret, uri }, onClose, onConfirmed }: ConfirmCodeProps) {
  const refresh = useRefresh(
    trpc.session.getSecondFactor.pathFilter(),
    trpc.session.listSessions.pathFilter(),
  );
  const [code, setCode] = useState('');
  return (
    <FormDialog
      title="Connect your authenticator"
      action="Confirm"
      isOpen
      onClose={onClose}
      isReady={code.trim().length >= 6}
      onSubmit={async () => {
        const { recoveryCodes } = await api.session.confirmSecondFactor.mutate({ code: code.trim() });
        if (recoveryCodes.length > 0) onConfirmed(recoveryCodes);
        await refresh();
      }}
    >
      <p>
        Scan the code with your authenticator, or open or type its key. Then enter the code that it shows.
      </p>
      <QrCode text={uri} label="Code for the authenticator" />
      <div className="row">
        <code className="secret" data-testid="authenticator-key">
          {secret}
        </code>
        <CopyButton text={secret} what="the key">
          Copy key
        </CopyButton>
        <a href={uri}>Open the authenticator</a>
      </div>
      <TextField
        label="Code"
        value={code}
        onChange={setCode}
        autoComplete="one-time-code"
        isRequired
        autoFocus
      />
    </FormDialog>
  );
}

/** Empty modules around a QR code, as the standard asks. */
const QUIET = 4;

/** A text as a QR code, black on white in every theme so that cameras read it. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => {
    const { size, data } = encode(text, { border: QUIET });
    const squares = data.flatMap((row, y) =>
      row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
    );
    return { size, path: squares.join('') };
  }, [text]);
  return (
    <svg
      role="img"
      aria-label={label}
      className="qr"
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
