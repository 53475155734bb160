-- Returns in words for people why a rule keeps a message from leaving.
create function outbound.skip_reason(p_code text)
returns text
language sql immutable security invoker set search_path = ''
return case p_code
  when 'opted_out' then 'The recipient does not want such messages'
  when 'no_consent' then 'The recipient has not agreed to marketing, and the company requires it'
  when 'frequency_cap' then 'The recipient was sent as many marketing messages as the company allows'
  when 'erased' then 'The recipient was erased'
end;
revoke execute on function outbound.skip_reason from public;
