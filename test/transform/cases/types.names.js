                         
                 
                           
 a    = { a: 1 }     , b =     (x   )    => x;
         C = class C {                     ;                  h          };
;(0, b)        ('x')
return await º0.held(a .a);                
