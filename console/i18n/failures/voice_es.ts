import { ADVICE_ES as advice, type Explained } from "./advice_es.ts";

/** The codes of the voice platform, in Spanish. */
export const VOICE_ES: Readonly<Record<string, Explained>> = {
  agent_not_found: ["La plataforma no conoce al agente", advice.agent],
  already_running: ["La plataforma aún está ocupada con la misma petición", advice.resend],
  concurrent_limit_exceeded: ["Hay tantas llamadas en curso como permite la cuenta", advice.freeLines],
  conflict: ["La plataforma está ocupada con una petición incompatible", advice.resend],
  feature_not_available: ["El plan de la cuenta no incluye llamadas", advice.account],
  insufficient_credits: ["La cuenta no tiene crédito", advice.account],
  insufficient_permissions: ["La clave de la API no puede hacer llamadas", advice.account],
  invalid_api_key: ["La plataforma no acepta la clave de la API", advice.account],
  invalid_parameters: ["La plataforma no acepta un parámetro de la llamada", advice.correct],
  invalid_provider_config: [
    "El número no se puede usar para llamadas tal como está configurado",
    advice.account,
  ],
  malformed_json: ["La plataforma no pudo leer los parámetros de la llamada", advice.correct],
  missing_api_key: ["Falta la clave de la API", advice.account],
  missing_permissions: ["La clave de la API no puede hacer llamadas", advice.account],
  missing_required_field: ["A la llamada le falta un parámetro", advice.correct],
  needs_authorization: ["La plataforma no acepta la clave de la API", advice.account],
  phone_number_not_found: ["La plataforma no conoce el número del remitente", advice.account],
  quota_exceeded: ["La cuenta no tiene crédito", advice.account],
  rate_limit_exceeded: ["Se hicieron demasiadas peticiones a la plataforma", advice.slower],
  subscription_required: ["La cuenta necesita un plan de pago para llamar", advice.account],
  system_busy: ["La plataforma está saturada por poco tiempo", advice.resend],
  too_many_concurrent_requests: ["Hay tantas llamadas en curso como permite la cuenta", advice.freeLines],
  unauthorized: ["La plataforma no acepta la clave de la API", advice.account],
};
