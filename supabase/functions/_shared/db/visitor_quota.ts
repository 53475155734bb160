/** Daily caps on what visitors may use, as `visitor_usage` counts it. */
export type VisitorCap = "voice_sessions" | "voice_minutes" | "conversations" | "stored_mb";

/** A cap that leaves no room. */
export interface ReachedCap {
  cap: VisitorCap;
  quota: number;
  used: number;
}

/** No cap is in the way. */
export interface NoCap {
  cap: null;
}
