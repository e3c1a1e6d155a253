import { answerOfKey } from '~/api/security-key.ts';
import { TextField } from '~/ui/fields.tsx';

/** The fields in which a user proves an identity: password, one-time password or recovery code. */
export type Proof = { password: string; code: string };

export const NO_PROOF: Proof = { password: '', code: '' };

type ProofFieldsProps = {
  proof: Proof;
  onChange: (change: Partial<Proof>) => void;
  /** Whether the account has a second factor, which is proved as well. */
  isFactorNeeded: boolean;
  /** Whether a security key may take the place of a code. */
  hasKeys: boolean;
};

/** The password, and where the account has one the second factor. */
export function ProofFields({ proof, onChange, isFactorNeeded, hasKeys }: ProofFieldsProps) {
  return (
    <>
      <TextField
        label="Your password"
        type="password"
        value={proof.password}
        onChange={(password) => onChange({ password })}
        autoComplete="current-password"
        isRequired
        autoFocus
      />
      {isFactorNeeded && (
        <TextField
          label="Code"
          hint={`From your authenticator, or a recovery code${hasKeys ? '. Leave empty to use a security key' : ''}`}
          value={proof.code}
          onChange={(code) => onChange({ code })}
          autoComplete="one-time-code"
          isRequired={!hasKeys}
        />
      )}
    </>
  );
}

/** Returns the proof as the procedures take it; without a code the browser asks for a security key. */
export async function sentProof(
  { password, code }: Proof,
  { isFactorNeeded, username }: { isFactorNeeded: boolean; username: string },
) {
  if (!isFactorNeeded) return { password };
  if (code.trim() !== '') return { password, code: code.trim() };
  return { password, securityKey: await answerOfKey(username, password) };
}
