-- Returns + and the digits by which a number's country is known: its calling code, with the next three digits in North
-- America, and the next one in Russia and Kazakhstan. Null for null. accept_notifications writes out its expression.
create function outbound.area_of(p_number text)
returns text
language sql immutable security invoker set search_path = ''
return '+' || left(p_number, case when left(p_number, 1) = '1' then 4
  when left(p_number, 2) = any ('{21,22,23,24,25,26,29,35,37,38,42,50,59,67,68,69,80,85,87,88,89,96,97,99}') then 3
  else 2 end);
revoke execute on function outbound.area_of from public;
