                         
                 
                           
 ºa.v    = { a: 1 }     , ºb.v =     ({b: (x   )    => x})["b"];
         ºC.v = class C {                     ;                  h          };
;(0, ºb.v)        ('x')
return await º0.held(ºa.v .a);                
