import type { Role } from "../../data/company.ts";
import { Select } from "../../components/form/fields.tsx";
import { words } from "../../i18n/words.ts";

/** A choice of a role, with what it allows. */
export function RoleSelect({ value, onChange }: { value: Role; onChange: (role: Role) => void }) {
  const names = words().members;
  return (
    <Select
      label={names.role}
      value={value}
      help={names.roleHelp[value]}
      options={Object.entries(words().common.roles) as [Role, string][]}
      onChange={onChange}
    />
  );
}
