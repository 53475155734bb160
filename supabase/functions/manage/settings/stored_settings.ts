import { type CompanySettings, lockCompany, readCompanySettings } from "../../_shared/db/access/companies.ts";
import { type Budget, readBudget } from "../../_shared/db/campaigns/budgets.ts";
import type { Sql } from "../../_shared/db/driver/connect.ts";
import { type ContactRules, readContactRules } from "../../_shared/db/contacts/contact_rules.ts";
import { readSendingRules, type StoredSendingRules } from "../../_shared/db/queue/sending_rules.ts";
import { AppError } from "../../_shared/errors.ts";
import type { SettingsDocument } from "../settings_document.ts";

/** All settings of a company, as they are stored. */
export interface StoredSettings {
  settings: CompanySettings;
  contactRules: ContactRules;
  sendingRules: StoredSendingRules;
  budget: Budget | null;
}

/** Returns all settings of a company. Throws `not_found`. */
export async function readStoredSettings(sql: Sql, companyId: string): Promise<StoredSettings> {
  const [settings, contactRules, sendingRules, state] = await Promise.all([
    readCompanySettings(sql, companyId),
    readContactRules(sql, companyId),
    readSendingRules(sql, companyId),
    readBudget(sql, companyId),
  ]);
  if (!settings || !sendingRules) throw new AppError("not_found", "Company not found");
  // Without what changes by itself: the ETag is that of the settings.
  const budget = state && { warn: state.warn, limit: state.limit, currency: state.currency };
  return { settings, contactRules, sendingRules, budget };
}

/** All settings of a company together: its row is their lock. */
export const COMPANY_SETTINGS: SettingsDocument<unknown> = {
  lock: (sql, { companyId }) => lockCompany(sql, companyId),
  read: (sql, { companyId }) => readStoredSettings(sql, companyId),
};
